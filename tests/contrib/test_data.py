"""tf.contrib.data: what only it had, against what became of it in TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from tests.library.datasets.streams import stream
from tests.oracle import oracle


def _ours(transformation: Any, source: Any = None) -> list[Any]:
    def build(library: Any) -> Any:
        return (source or _numbers)(library).apply(transformation())

    return stream(tf, build)


def _numbers(library: Any) -> Any:
    return library.data.Dataset.range(10)


def _ragged(library: Any) -> Any:
    return library.data.Dataset.range(1, 8).map(lambda x: library.fill([x], x))


def test_batches_without_a_remainder() -> None:
    wanted = stream(oracle, lambda tf: _numbers(tf).batch(3, drop_remainder=True))
    assert _ours(lambda: tf.contrib.data.batch_and_drop_remainder(3)) == wanted


def test_padded_batches_without_a_remainder() -> None:
    wanted = stream(oracle, lambda tf: _ragged(tf).padded_batch(3, [None], drop_remainder=True))
    found = _ours(lambda: tf.contrib.data.padded_batch_and_drop_remainder(3, [None]), _ragged)
    assert found == wanted


def test_sliding_windows() -> None:
    def build(library: Any) -> Any:
        return (
            _numbers(library)
            .window(3, shift=2, stride=2, drop_remainder=True)
            .flat_map(lambda window: window.batch(3))
        )

    found = _ours(lambda: tf.contrib.data.sliding_window_batch(3, window_shift=2, window_stride=2))
    assert found == stream(oracle, build)
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.contrib.data.sliding_window_batch(3, stride=1, window_shift=1)


def test_shapes_that_are_asserted() -> None:
    with tf.Graph().as_default():
        narrowed = _ragged(tf).apply(tf.contrib.data.assert_element_shape([3]))
        assert narrowed.output_shapes.as_list() == [3]
        with pytest.raises(ValueError, match="equal rank"):
            _numbers(tf).apply(tf.contrib.data.assert_element_shape([3]))


def test_what_others_have_replaced(tmp_path: Path) -> None:
    data = tf.contrib.data
    path = str(tmp_path / "examples")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(4):
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
            example = tf.train.Example(features=tf.train.Features(feature={"n": feature}))
            writer.write(example.SerializeToString())
    with tf.Graph().as_default(), tf.Session() as session:
        features = {"n": tf.FixedLenFeature([], tf.int64)}
        batch = data.read_batch_features(path, 3, features, randomize_input=False)
        assert [session.run(batch)["n"].tolist() for _ in range(2)] == [[0, 1, 2], [3, 0, 1]]
        numbers = tf.data.Dataset.range(4)
        spread = numbers.apply(
            data.sloppy_interleave(lambda n: tf.data.Dataset.from_tensors(n).repeat(2), 2)
        )
        following = spread.make_one_shot_iterator().get_next()
        assert sorted(session.run(following) for _ in range(8)) == [0, 0, 1, 1, 2, 2, 3, 3]
        reducer = data.Reducer(lambda key: key, lambda total, n: total + n, lambda total: total)
        assert session.run(data.reduce_dataset(numbers, reducer)) == 6
        with pytest.raises(TypeError, match="`dataset` must be"):
            data.reduce_dataset([1], reducer)


def test_threads_and_buffers_told_to_map() -> None:
    """As before tf.data; made of others a dataset still takes them."""

    def older(library: Any) -> Any:
        source = library.contrib.data.Dataset.from_tensor_slices([3, 1, 2])
        squares = source.map(lambda x: x * x, num_threads=2, output_buffer_size=4)
        return squares.repeat(2).filter(lambda x: x > 1).map(lambda x: x + 1, 2, 1).batch(2)

    def newer(library: Any) -> Any:
        squares = library.data.Dataset.from_tensor_slices([3, 1, 2]).map(lambda x: x * x)
        return squares.repeat(2).filter(lambda x: x > 1).map(lambda x: x + 1).batch(2)

    assert stream(tf, older) == stream(oracle, newer)


def test_sources_whose_map_takes_threads(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("a\nbc\n")
    data = tf.contrib.data
    path = str(tmp_path / "lines")

    def joined(library: Any) -> Any:
        lines = data.TextLineDataset(path).map(lambda x: x + "!", num_threads=1)
        parts = data.FixedLengthRecordDataset(path, 1).map(lambda x: x, 1, output_buffer_size=2)
        numbers = data.Dataset.range(2).map(lambda x: x, num_parallel_calls=2)
        made = data.Dataset.zip((lines, parts, numbers))
        assert isinstance(made, data.Dataset) and isinstance(made.take(1), tf.data.Dataset)
        return made.map(lambda line, part, number: (line, number), output_buffer_size=1)

    def newer(library: Any) -> Any:
        lines = library.data.TextLineDataset(path).map(lambda x: x + "!")
        return library.data.Dataset.zip((lines, library.data.Dataset.range(2)))

    assert stream(tf, joined) == stream(oracle, newer)


def test_sparse_batches_of_older_datasets() -> None:
    def older(library: Any) -> Any:
        source = library.contrib.data.Dataset.range(1, 3).map(lambda x: library.fill([x], x))
        return source.dense_to_sparse_batch(2, [3]).map(lambda x: library.sparse.to_dense(x))

    def newer(library: Any) -> Any:
        source = library.data.Dataset.range(1, 3).map(lambda x: library.fill([x], x))
        return source.sparse_batch(2, [3]).map(lambda x: library.sparse.to_dense(x))

    assert stream(tf, older)[1:] == stream(oracle, newer)[1:]
