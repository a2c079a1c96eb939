"""What datasets say of mistakes: TensorFlow 1.15's words, recorded from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

_EXPERIMENTAL: Any = tf.data.experimental


def _numbers() -> Any:
    return tf.data.Dataset.range(10)


def _three() -> Any:
    return tf.data.Dataset.from_tensors([1, 2, 3])


def _windows(**how: Any) -> Any:
    given = {"key_func": lambda x: x, "reduce_func": lambda key, d: d, "window_size": 2, **how}
    return _numbers().apply(_EXPERIMENTAL.group_by_window(**given))


def _sparse() -> Any:
    return tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [1], [1]))


REFUSED: dict[str, Callable[[], Any]] = {
    "The padded shape (1,) is not compatible with the corresponding input component shape ().": (
        lambda: _numbers().padded_batch(5, [1])
    ),
    "The padded shape (1,) is not compatible with the corresponding input component shape (3,).": (
        lambda: _three().padded_batch(5, tf.constant([1], tf.int64))
    ),
    "must be a 1-D tensor of tf.int64 values, but its shape was (2, 2).": (
        lambda: _three().padded_batch(5, [[1, 1], [1, 1]])
    ),
    "must be a 1-D tensor of tf.int64 values, but its element type was float32.": (
        lambda: _three().padded_batch(5, tf.constant([1.5, 2.0, 3.0]))
    ),
    "dtype=int32)) does not match output type: <dtype: 'string'>": (
        lambda: tf.data.Dataset.from_tensors("a").padded_batch(5, [], tf.constant(0))
    ),
    "Padding value should be a scalar, but is not: Tensor(": (
        lambda: _numbers().padded_batch(5, [], np.array([1, 2]))
    ),
    "Batching of padded sparse tensors is not currently supported": (
        lambda: _sparse().padded_batch(2, [1])
    ),
    "len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1": (
        lambda: _EXPERIMENTAL.bucket_by_sequence_length(lambda x: 1, [3], [2])(_numbers())
    ),
    "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.": (
        lambda: _numbers().apply(
            _EXPERIMENTAL.map_and_batch(
                lambda x: x, 2, num_parallel_batches=2, num_parallel_calls=2
            )
        )
    ),
    "`key_func` must return a single tf.int64 tensor. Got type=<dtype: 'string'> and shape=()": (
        lambda: _numbers().apply(
            _EXPERIMENTAL.group_by_reducer(
                lambda x: "a", _EXPERIMENTAL.Reducer(lambda x: 0, lambda s, x: s, lambda s: s)
            )
        )
    ),
    "`key_func` must return a single tf.int64 scalar tensor.": (
        lambda: _windows(key_func=lambda x: np.int64([1, 2]))
    ),
    "`window_size_func` must return a single tf.int64 scalar tensor.": (
        lambda: _windows(window_size=None, window_size_func=lambda key: np.int64([1, 2]))
    ),
    "Must pass either window_size or window_size_func.": lambda: _windows(window_size=None),
    "`reduce_func` must return a `Dataset` object.": (
        lambda: _windows(reduce_func=lambda key, window: key)
    ),
    "`map_func` must return a `Dataset` object. Got <class": (
        lambda: _numbers().flat_map(lambda x: x)
    ),
    "The scan function must return a pair comprising the new state and the output value.": (
        lambda: _numbers().apply(_EXPERIMENTAL.scan(np.int64(0), lambda s, x: s))
    ),
    "match the initial state. Expected <dtype: 'int64'>; got <dtype: 'int32'>.": (
        lambda: _numbers().apply(_EXPERIMENTAL.scan(np.int64(0), lambda s, x: (tf.constant(1), x)))
    ),
    "must match the initial state. Expected <dtype: 'float64'>; got <dtype: 'int64'>.": (
        lambda: _numbers().reduce(np.float64(0), lambda s, x: x)
    ),
    "`predicate` must return a scalar boolean tensor.": (
        lambda: _numbers().apply(_EXPERIMENTAL.take_while(lambda x: x))
    ),
    "`choice_dataset` must be a dataset of scalar `tf.int64` tensors.": (
        lambda: _EXPERIMENTAL.choose_from_datasets([_numbers(), _numbers()], _three())
    ),
    "`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` elements.": (
        lambda: _EXPERIMENTAL.sample_from_datasets([_numbers(), _numbers()], [1, 2])
    ),
    "Two datasets to concatenate have different types <dtype: 'int64'> and <dtype: 'int32'>": (
        lambda: _numbers().concatenate(_three())
    ),
    "Two datasets to concatenate have different classes <class": (
        lambda: _three().concatenate(_sparse())
    ),
    "scalar boolean tensor. Was TensorSpec(shape=(), dtype=tf.int64, name=None).": (
        lambda: _numbers().filter(lambda x: x)
    ),
    "only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` component.": (
        lambda: tf.data.Dataset.from_tensors(1.5).apply(_EXPERIMENTAL.unique())
    ),
    "`tf.data.experimental.unique()` only supports inputs with a single `tf.int32`": (
        lambda: tf.data.Dataset.from_tensors((1, 2)).apply(_EXPERIMENTAL.unique())
    ),
    "Incompatible options type: <class 'int'> vs": lambda: _numbers().with_options(3),
    "must be a Dataset or Iterator object, but got <class 'str'>.": (
        lambda: _numbers().concatenate("x")
    ),
    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.": (
        lambda: tf.data.Dataset.zip((_numbers(), 3))
    ),
    "Nested structures do not support Python lists; please use a tuple instead.": (
        lambda: tf.data.Dataset.zip([_numbers(), _numbers()])
    ),
    'component_0:0", shape=(), dtype=int32) has insufficient rank for batching.': (
        lambda: tf.data.Dataset.from_tensor_slices(3)
    ),
    "`dataset` must be a `tf.data.Dataset` object.": (
        lambda: _EXPERIMENTAL.get_single_element("x")
    ),
    "__iter__() is only supported inside of tf.function or when eager execution is enabled.": (
        lambda: list(_numbers())
    ),
    "`transformation_func` must return a Dataset. Got 3.": lambda: _numbers().apply(lambda d: 3),
    "`generator` must be callable.": lambda: tf.data.Dataset.from_generator(3, tf.int64),
    "`sparse_tensor` must be a `tf.SparseTensor` object. Was 3.": (
        lambda: tf.data.Dataset.from_sparse_tensor_slices(3)
    ),
    "`dataset_or_iterator` must be a Dataset or Iterator object, but got <class 'int'>.": (
        lambda: tf.data.get_output_types(3)
    ),
    "`filenames` must be a `tf.data.Dataset` of `tf.string` elements.": (
        lambda: tf.data.TFRecordDataset(_numbers())
    ),
    "`filenames` must be a `tf.data.Dataset` of scalar `tf.string` elements.": (
        lambda: tf.data.TFRecordDataset(tf.data.Dataset.from_tensors(["a", "b"]))
    ),
    "Iterator does not have an initializer.": (
        lambda: tf.data.make_one_shot_iterator(_numbers()).initializer
    ),
    "Expected output types tf.int32 but got dataset with output types tf.int64.": (
        lambda: tf.data.Iterator.from_structure(tf.int32).make_initializer(_numbers())
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        REFUSED[text]()
    assert text in str(caught.value)


def test_state_in_an_iterator_that_needs_no_initializer() -> None:
    with tf.Graph().as_default():
        variable = tf.Variable(37.0, name="myvar")
        dataset = tf.data.Dataset.from_tensors(0.0).map(lambda x: x + variable)
        words = re.escape(
            "Failed to create a one-shot iterator for a dataset. "
            "`Dataset.make_one_shot_iterator()` does not support datasets that capture stateful "
            "objects, such as a `Variable` or `LookupTable`. In these cases, use "
            "`Dataset.make_initializable_iterator()`. (Original error: "
        )
        with pytest.raises(ValueError, match=words + ".*myvar"):
            tf.data.make_one_shot_iterator(dataset)


_SELECTED = {
    "select_columns contains duplicate columns": {"select_columns": ["a", "a"]},
    "Value 'd' specified in select_columns not a valid column index or name.": {
        "select_columns": ["a", "d"]
    },
    "Column index 3 specified in select_columns out of valid range.": {"select_columns": [3]},
    "If specified, column_defaults and select_columns must have same length.": {
        "select_columns": ["a"],
        "column_defaults": [1, 2],
    },
    "Cannot infer column names without a header line.": {"header": False},
    "Problem inferring types: CSV row has different number of fields than expected.": {
        "column_names": ["a", "b", "c", "d"]
    },
}


@pytest.mark.parametrize("text", _SELECTED)
def test_columns(text: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("a,b,c\n1,2,3\n")
    with tf.Graph().as_default(), pytest.raises(ValueError, match=re.escape(text)):
        _EXPERIMENTAL.make_csv_dataset(str(path), 1, num_epochs=1, **_SELECTED[text])


def test_headers(tmp_path: Path) -> None:
    for name, text in (("a", "x,y\n1,2\n"), ("b", "x,z\n1,2\n"), ("c", "")):
        (tmp_path / name).write_text(text)

    def made(names: str) -> Any:
        return _EXPERIMENTAL.make_csv_dataset([str(tmp_path / name) for name in names], 1)

    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"^Files have different column names in the header"):
            made("ab")
        words = f"Received StopIteration when reading the header line of {tmp_path / 'a'}.  Empty"
        with pytest.raises(ValueError, match=re.escape(words)):
            made("ac")
        with pytest.raises(ValueError, match=r"^File pattern is empty\.$"):
            made("")
