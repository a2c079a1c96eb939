"""Parts that rearrange what they get: skip-grams, slices, pixels, LIBSVM, copied graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import copy_graph, libsvm, periodic_resample, reduce_slice_ops, text
from tests.pairwise import pairwise

WORDS = [b"the", b"quick", b"brown", b"fox", b"jumps"]


def pairs(*args: Any, **kwargs: Any) -> list[tuple[bytes, bytes]]:
    with tf.Graph().as_default(), tf.Session() as session:
        made = text.skip_gram_sample(*args, **kwargs)
        session.run(tf.tables_initializer())
        return list(zip(*session.run(made), strict=True))


def test_skip_grams_of_one_distance() -> None:
    assert pairs(WORDS, 1, 1) == [
        (one, other)
        for place, one in enumerate(WORDS)
        for other in (WORDS[max(place - 1, 0) : place] + WORDS[place + 1 : place + 2])
    ]
    assert pairs(WORDS, 1, 1, start=2, limit=2) == [(b"brown", b"fox"), (b"fox", b"brown")]
    assert pairs(WORDS[:1], 3, 3, emit_self_as_target=True) == [(b"the", b"the")]
    assert pairs(WORDS, 0, 0) == []
    assert pairs(np.zeros(0, np.int64), 1, 1) == []
    assert pairs(WORDS, 1, 2, start=9) == []


def test_skip_grams_of_random_distances() -> None:
    count = 2000
    found = np.array(pairs(np.arange(count), 1, 3, seed=3))
    reach = np.array([np.abs(np.diff(found[found[:, 0] == at])).max() for at in range(count)])
    shares = np.bincount(reach[3:-3], minlength=4) / (count - 6)
    np.testing.assert_allclose(shares, [0, 1 / 3, 1 / 3, 1 / 3], atol=0.05)
    assert (found[:, 0] != found[:, 1]).all()


def test_skip_grams_of_frequent_words(tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text("the,30\nquick,2\nfox,4\n")
    near = [(b"the", b"quick"), (b"quick", b"the"), (b"quick", b"fox"), (b"fox", b"quick")]
    with tf.Graph().as_default(), tf.Session() as session:
        made = text.skip_gram_sample_with_text_vocab(WORDS, str(file), max_skips=1)
        rare = text.skip_gram_sample_with_text_vocab(
            WORDS, str(file), max_skips=1, vocab_min_count=3
        )
        # the: 36 * 1e-9 / 30 is kept by a chance of some 3e-5.
        kept = text.skip_gram_sample_with_text_vocab(
            ["the"] * 100 + ["quick", "fox"], str(file), vocab_subsampling=1e-9, max_skips=1
        )
        session.run(tf.tables_initializer())
        assert list(zip(*session.run(made), strict=True)) == near
        assert list(session.run(rare)[0]) == [b"the", b"fox"]
        assert len(session.run(kept)[0]) < 4
    for given, message in (
        ({"vocab_token_index": -1}, "must both be >= 0"),
        ({"vocab_token_index": 1}, "should be different, but are both 1"),
        ({"vocab_freq_index": 2}, "only has 2 columns"),
        ({"corpus_size": 3.0}, "must be greater than or equal to the sum"),
    ):
        with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
            text.skip_gram_sample_with_text_vocab(WORDS, str(file), **given)


def test_batches_of_skip_grams() -> None:
    with tf.Graph().as_default():
        first, second = text.skip_gram_sample(WORDS, 1, 1, batch_size=3)
        with tf.train.MonitoredSession() as session:
            assert list(session.run(first)) == [b"the", b"quick", b"quick"]
        assert second.shape.as_list() == [3]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"min_skips": -1}, "min_skips must be >= 0"),
        ({"max_skips": -1, "min_skips": -1}, "_skips must be >= 0"),
        ({"min_skips": 3, "max_skips": 1}, "min_skips must be <= max_skips"),
        ({"start": -1}, "start must be >= 0"),
        ({"vocab_min_count": 3}, "useless without a vocab_freq_table"),
        ({"vocab_subsampling": 0.1, "vocab_freq_table": 1}, "both must be provided"),
        ({"vocab_freq_table": 1}, "must be a subclass of InitializableLookupTableBase"),
    ],
)
def test_what_skip_grams_refuse(given: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=message):
        pairs(WORDS, **given)


@pairwise(
    {"name": ["sum", "prod", "max", "min"], "kind": [np.float32, np.int64], "axis": [0, 1, -1]}
)
def test_slices(name: str, kind: Any, axis: int) -> None:
    data = np.random.RandomState(0).randint(-3, 4, [4, 5, 6]).astype(kind)
    ranges = np.array([[0, 2], [1, 3], [2, 2], [-1, 1], [3, 9], [3, 1]])
    numbers: Any = np.iinfo(kind) if kind is np.int64 else np.finfo(kind)
    empty = {"sum": 0, "prod": 1, "max": numbers.min, "min": numbers.max}[name]
    rows = np.moveaxis(data, axis, 0)
    expected = np.stack(
        [
            getattr(np, name)(rows[max(begin, 0) : end], axis=0, initial=empty)
            for begin, end in ranges
        ]
    )
    function = getattr(reduce_slice_ops, f"reduce_slice_{name}")
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(function(tf.constant(data), ranges, axis))
        np.testing.assert_array_equal(found, np.moveaxis(expected, 0, axis))
        ends = session.run(function(tf.constant(data), [0, 1, 3], axis))
        whole = session.run(function(tf.constant(data), [[0, 1], [1, 3]], axis))
        np.testing.assert_array_equal(ends, whole)


def test_gradients_of_slices_and_what_they_refuse() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        total = reduce_slice_ops.reduce_slice_sum(x, [[0, 2], [1, 3]], 0)
        (gradient,) = tf.gradients(total, x)
        np.testing.assert_array_equal(session.run(gradient), [1, 2, 1])
        with pytest.raises(ValueError, match=r"axis must be in \[-1, 1\); got 1"):
            reduce_slice_ops.reduce_slice_sum(x, [[0, 2]], 1)
        with pytest.raises(ValueError, match="must be known"):
            reduce_slice_ops.reduce_slice_sum(tf.placeholder(tf.float32), [[0, 2]], 1)


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize(
    "sizes, shape, expected",
    [
        ([3, 4], [6, None], np.arange(12).reshape(6, 2)),
        ([3, 4], [5, None], np.arange(12).reshape(6, 2)[:-1]),
        ([12], [None], np.arange(12)),
        ([3, 4], [None, 4], np.arange(12).reshape(3, 4)),
        ([4, 2], [None, 4], [[0, 4, 1, 5], [2, 6, 3, 7]]),
        (
            [2, 2, 4],
            [4, 4, None],
            np.array([[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]])[..., None],
        ),
    ],
)
def test_resampled_pixels(sizes: Any, shape: Any, expected: Any, static: bool) -> None:
    values = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(values)
        given = x if static else tf.placeholder_with_default(x, [None] * len(sizes))
        made = periodic_resample.periodic_resample(given, shape)
        found, gradient = session.run([made, tf.gradients(made, given)[0]])
        assert made.shape.is_compatible_with(found.shape)
        assert made.shape.is_fully_defined() == static
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(gradient, np.isin(values, found))


def test_what_resampling_refuses() -> None:
    with tf.Graph().as_default():
        x = tf.zeros([3, 4])
        for shape, message in (
            ([6, 2], "exactly one dimension"),
            ([None, None], "exactly one dimension"),
            ([2, None], "must not shrink"),
            ([6, None, 1], "must have rank 3"),
        ):
            with pytest.raises(ValueError, match=message):
                periodic_resample.periodic_resample(x, shape)


def test_records_of_libsvm() -> None:
    content = [["1 1:3.4 2:0.5 4:0.231", "0"], ["1  2:2.5 3:1e-1", "-2 0:7"]]
    with tf.Graph().as_default(), tf.Session() as session:
        features, labels = libsvm.decode_libsvm(content, 6)
        found = session.run(features)
        np.testing.assert_array_equal(session.run(labels), [[1, 0], [1, -2]])
        assert (labels.dtype, list(found.dense_shape)) == (tf.int64, [2, 2, 6])
        dense = np.zeros([2, 2, 6], np.float32)
        dense[tuple(found.indices.T)] = found.values
        expected = np.zeros([2, 2, 6], np.float32)
        expected[0, 0, [1, 2, 4]] = [3.4, 0.5, 0.231]
        expected[1, 0, [2, 3]] = [2.5, 0.1]
        expected[1, 1, 0] = 7
        np.testing.assert_array_equal(dense, expected)
        none, _ = libsvm.decode_libsvm(["5"], 6, tf.int32, tf.float32)
        assert session.run(none).indices.shape == (0, 2)


@pytest.mark.parametrize(
    "record, message",
    [
        ("", "No label found"),
        ("1 2", "want number:value"),
        ("1 2:3:4", "want number:value"),
        ("1 x:3", "want number:value"),
        ("1 -1:3", "should be >= 0"),
        ("1 6:3", "below num_features"),
        ("a 2:3", "could not correctly convert string: a"),
        ("1 2:b", "could not correctly convert string: b"),
    ],
)
def test_bad_records_of_libsvm(record: str, message: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = libsvm.decode_libsvm([record], 6)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(made)
        assert message in caught.value.message


def test_copied_elements() -> None:
    first, second = tf.Graph(), tf.Graph()
    with first.as_default():
        held = tf.Variable(2.0, name="held", collections=["own", tf.GraphKeys.GLOBAL_VARIABLES])
        fed = tf.placeholder(tf.float32, name="fed")
        with tf.control_dependencies([tf.no_op("before")]), tf.device("/cpu:0"):
            total = tf.add(held, fed, name="total")
        tf.add_to_collection("totals", total)
    copied = copy_graph.copy_variable_to_graph(held, second, "inside")
    assert copied.op.name == "inside/held"
    assert second.get_collection("inside/own") == [copied]
    assert second.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) == [copied]
    assert second.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES) == [copied]
    made = copy_graph.copy_op_to_graph(total, second, [copied], "inside")
    assert made.name == "inside/total:0"
    assert copy_graph.copy_op_to_graph(total, second, [copied], "inside") is made
    assert second.get_collection("inside/totals") == [made]
    assert [each.name for each in made.op.control_inputs] == ["inside/before"]
    assert made.op.device == total.op.device
    again = copy_graph.get_copied_op(fed, second, "inside")
    with tf.Session(graph=second) as session:
        session.run(copied.initializer)
        assert session.run(made, {again: 3.0}) == 5.0
    with pytest.raises(TypeError, match="is not a Variable"):
        copy_graph.copy_variable_to_graph(total, second)
    with pytest.raises(TypeError, match="Could not copy instance: 3"):
        copy_graph.copy_op_to_graph(3, second, [])
    with first.as_default():
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    with pytest.raises(ValueError, match="it stands in a loop"):
        copy_graph.copy_op_to_graph(loop, second, [])
