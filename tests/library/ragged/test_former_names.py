"""Functions and types of ragged tensors by names that TensorFlow's modules of 1.15 have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings.ops import ragged, ragged_strings
from dataflow.porting.spellings.util import ragged_padded


def test_types_of_stacked_results() -> None:
    declared = ragged.RaggedTensorType(dtype=tf.int32, ragged_rank=1)
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.ragged.constant([[1, 2], [3]])
        one = tf.map_fn(lambda row: row + 1, rows, dtype=declared)
        ranges = tf.map_fn(tf.range, tf.constant([2, 0, 3]), dtype=declared)
        deep = tf.ragged.constant([[[1], [2, 3]], [[4]]])
        two = tf.map_fn(lambda x: x, deep, dtype=ragged.RaggedTensorType(tf.int32, 2))
        assert session.run(one).to_list() == [[2, 3], [4]]
        assert session.run(ranges).to_list() == [[0, 1], [], [0, 1, 2]]
        assert session.run(two).to_list() == [[[1], [2, 3]], [[4]]]


def test_conversions() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.ragged.constant([[1, 2], [3]])
        filled = session.run([ragged.to_tensor(rows, 7), ragged.to_tensor(tf.constant([1]))])
        np.testing.assert_array_equal(filled[0], [[1, 2], [3, 7]])
        np.testing.assert_array_equal(filled[1], [1])
        back = ragged.from_sparse(ragged.to_sparse(rows))
        assert session.run(back).to_list() == [[1, 2], [3]]
        assert session.run(ragged.from_tensor([[1, 0]], padding=0)).to_list() == [[1]]
        split = ragged_strings.string_bytes_split(["ab", "c"])
        assert session.run(split).to_list() == [[b"a", b"b"], [b"c"]]


@pytest.mark.parametrize(
    ("params", "indices", "default", "expected"),
    [
        (
            [["a", "b", "c"], ["d"], [], ["e"]],
            [[1, 2, -1], [], [], [0, 10]],
            "z",
            [[b"b", b"c", b"z"], [], [], [b"e", b"z"]],
        ),
        ([[[1, 2], [3]], [[4]]], [[0, 1, 2], [0]], 7, [[[1, 2], [3], [7]], [[4]]]),
        ([[[1, 2], [3]], [[4]]], [[0, 1, 2], [0]], [7], [[[1, 2], [3], [7]], [[4]]]),
        ([[1, 2], [3]], [1, 5], 0, [[3], [0]]),
        (np.array([[1, 2], [3, 4]]), [[0, 5], [1]], 0, [[1, 0], [4]]),
        (np.array([[1, 2], [3, 4]]), np.array([[0, 5], [1, -1]]), 0, [[1, 0], [4, 0]]),
        (np.array(["a", "b"]), np.array([0, 1, 3]), "x", [b"a", b"b", b"x"]),
        (
            np.arange(8).reshape(2, 2, 2),
            np.array([[[1, 2], [0, 0]], [[-1, 1], [1, 0]]]),
            9,
            [[[1, 9], [2, 2]], [[9, 5], [7, 6]]],
        ),
    ],
)
def test_another_value_where_there_is_no_entry(
    params: Any, indices: Any, default: Any, expected: Any
) -> None:
    """The values are those of 1.15."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows, numbers = (
            tf.constant(each) if isinstance(each, np.ndarray) else tf.ragged.constant(each)
            for each in (params, indices)
        )
        made = session.run(ragged_padded.batch_gather_with_default(rows, numbers, default))
    found = made.to_list() if hasattr(made, "to_list") else made.tolist()
    assert found == expected


def test_refused_values_for_missing_entries() -> None:
    with tf.Graph().as_default():
        gather = ragged_padded.batch_gather_with_default
        with pytest.raises(ValueError, match='"default_value" must be a scalar or vector'):
            gather(tf.ragged.constant([[1]]), tf.ragged.constant([[0]]), [[1]])
        with pytest.raises(ValueError, match="Indices must have a known rank"):
            gather(tf.ragged.constant([[1]]), tf.placeholder(tf.int32), 1)
        with pytest.raises(ValueError, match="Params must have a known rank"):
            gather(tf.placeholder(tf.int32), tf.ragged.constant([[0]]), 1)


def test_inner_shapes_that_do_not_fit() -> None:
    """1.15's words."""
    with tf.Graph().as_default(), tf.Session() as session:
        for pylist, shape, text in (
            ([[1, 2], [3]], 3, r"object of type 'int' has no len\(\)"),
            ([[[1, 2]], [[3, 4]]], "a", "can only concatenate tuple"),
            ([[[1, 2]], [[3, 4]]], (3,), r"Expected Tensor's shape: \(2, 3\), got \(2, 2\)\."),
            ([[1]], (2, 3), r"Expected Tensor's shape: \(2, 3\), got \(1, 1\)\."),
            ([], (2,), r"Expected Tensor's shape: \(2,\), got \(0,\)\."),
        ):
            with pytest.raises(TypeError, match=text):
                tf.ragged.constant(pylist, inner_shape=shape)
        dense = tf.ragged.constant([1, 2], inner_shape=(2,))
        np.testing.assert_array_equal(session.run(dense), [1, 2])
        value = tf.ragged.constant_value([1, 2], inner_shape=(2,))
        np.testing.assert_array_equal(value, [1, 2])
        hot = ragged_padded.ragged_one_hot(tf.ragged.constant([[0, 1], [2]]), 3)
        assert session.run(hot).to_list() == [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1]]]
