"""What functions of images, queues, rows and nets say of mistakes: TensorFlow 1.15's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.library.queues.map_staging import MapStagingArea

_ROWS: Any = tf.RaggedTensor


def _named_queue() -> Any:
    return tf.FIFOQueue(3, [tf.int32], names=["a"])


def _named_area() -> Any:
    return MapStagingArea([tf.int32], names=["a"])


def _area(count: int = 1) -> Any:
    return MapStagingArea([tf.int32] * count)


def _one_hot(axis: int) -> Any:
    return tf.one_hot(tf.ragged.constant([[1], [2, 0]]), 3, axis=axis)


REFUSED: dict[str, Callable[[], Any]] = {
    "'image' must be at least three-dimensional.": lambda: tf.image.flip_up_down(np.zeros((2, 3))),
    "'image' must have either 3 or 4 dimensions.": (
        lambda: tf.image.rot90(np.zeros((2, 3, 4, 5, 6)))
    ),
    "all dims of 'image.shape' must be > 0: (2, 0, 4)": (
        lambda: tf.image.flip_up_down(np.zeros((2, 0, 4)))
    ),
    "Resize method is not implemented.": (
        lambda: tf.image.resize_images(np.zeros((2, 3, 4)), (3, 4), 7)
    ),
    "shapes must be a TensorShape or a list or tuple of TensorShapes.": (
        lambda: tf.FIFOQueue(3, [tf.int32], shapes=3)
    ),
    "match names of Queue.  Dictionary: (['b']), Queue: (['a'])": (
        lambda: _named_queue().enqueue({"b": 1})
    ),
    "match names of staging area. Dictionary: (['b']), Queue: (['a'])": (
        lambda: _named_area().put(1, {"b": tf.constant(1)})
    ),
    "Number of indices '2' doesn't match number of values '1'": (
        lambda: _area(2).put(1, [tf.constant(1)], [0, 1])
    ),
    "Unexpected number of inputs '2' vs '1'": (
        lambda: _area().put(1, [tf.constant(1)] * 2, [0, 0])
    ),
    "Datatypes do not match. '<dtype: 'float32'>' != '<dtype: 'int32'>'": (
        lambda: _area().put(1, [tf.constant(1.5)], [0])
    ),
    "Invalid indices type '<class 'int'>'": lambda: _area().get(1, indices=3),
    "String indices provided '['a']', but this Staging Area was not created with names.": (
        lambda: _area().get(1, indices=["a"])
    ),
    "Named index 'b' not in Staging Area names '['a']'": (
        lambda: _named_area().get(1, indices=["b"])
    ),
    "Mixed types in indices '['a', 0]'. May only be str or int": (
        lambda: _named_area().get(1, indices=["a", 0])
    ),
    "nested_row_splits must be a list of Tensors": (
        lambda: _ROWS.from_nested_row_splits([1], tf.constant([0, 1]))
    ),
    "nested_nrows must have the same length as nested_value_rowids": (
        lambda: _ROWS.from_nested_value_rowids([1], [tf.constant([0])], [1, 2])
    ),
    "Specify lengths or padding, but not both": (
        lambda: _ROWS.from_tensor([[1]], lengths=[1], padding=0)
    ),
    "ragged_rank expected int, got 'a'": lambda: _ROWS.from_tensor([[1]], ragged_rank="a"),
    "ragged_rank must be greater than 0; got 0": lambda: _ROWS.from_tensor([[1]], ragged_rank=0),
    "ragged_rank must be less than rank.": lambda: tf.RaggedTensorSpec([2, None], ragged_rank=2),
    "Expected SparseTensor, got int": lambda: _ROWS.from_sparse(3),
    "axis may not be less than indices.ragged_rank.": lambda: _one_hot(1),
    "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the "
    "RaggedTensor first and then use RaggedTensorValue.to_list().": (
        lambda: tf.ragged.constant([[1]]).to_list()
    ),
    "Unsupported FixedLenFeature FixedLenFeature(shape=[], dtype=tf.int64, default_value=None).": (
        lambda: tf.parse_single_sequence_example(
            "", sequence_features={"a": tf.FixedLenFeature([], tf.int64)}
        )
    ),
    "Invalid feature a:3.": lambda: tf.parse_example([""], {"a": 3}),
    "axis must be a constant scalar": lambda: tf.sort([1, 2], axis=tf.placeholder(tf.int32)),
    "'a' invalid dtype <dtype: 'float32'>.": lambda: tf.sets.size(
        tf.SparseTensor([[0, 0]], [1.5], [1, 1])
    ),
    "Expected func to be callable, got func of type <class 'int'>": (
        lambda: tf.py_func(3, [1], tf.int32)
    ),
    "Sparse dtype: requested = int64, actual = int32": (
        lambda: tf.convert_to_tensor_or_sparse_tensor(tf.SparseTensor([[0]], [1], [1]), tf.int64)
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        REFUSED[text]()
    assert text in str(caught.value)


def test_a_feature_of_another_number_of_values() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"]))
        example = tf.train.Example(features=tf.train.Features(feature={"b": words}))
        pairs = tf.FixedLenSequenceFeature([2], tf.string, allow_missing=True)
        parsed = tf.parse_single_example(example.SerializeToString(), {"b": pairs})
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(parsed)
    assert caught.value.message.startswith("Key: b.  Can't parse serialized Example")
