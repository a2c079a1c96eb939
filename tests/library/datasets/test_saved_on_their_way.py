"""Iterators that are saved and restored on their way, by the base of TensorFlow's tests of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf
from dataflow.porting.spellings.data.saved_iterators import DatasetSerializationTestBase

Dataset = tf.data.Dataset


def _table() -> Any:
    keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    table = tf.lookup.StaticHashTable(keys, -1)
    return Dataset.from_tensor_slices(["a", "b", "c"]).map(table.lookup)


def _sparse() -> Any:
    return Dataset.range(3).map(
        lambda i: {"s": tf.SparseTensor([[0, i]], [i], [1, 3]), "t": (i, tf.as_string(i))}
    )


def _slices() -> Any:
    return Dataset.from_sparse_tensor_slices(
        tf.SparseTensor(np.array([[0, 0], [1, 1]]), np.array([1, 2]), np.array([2, 2]))
    )


class SavedIteratorsTest(DatasetSerializationTestBase):
    def test_shuffled(self) -> None:
        self.run_core_tests(lambda: Dataset.range(5).shuffle(3, seed=7).repeat(2), 10)

    def test_table_and_structures(self) -> None:
        self.verify_multiple_breaks(_table, 3, num_breaks=3)
        self.verify_multiple_breaks(_sparse, 3, num_breaks=3)
        self.verify_unused_iterator(_slices, 2, sparse_tensors=True)

    def test_they_notice_what_is_wrong(self) -> None:
        with self.assertRaises(AssertionError):
            self.verify_unused_iterator(lambda: Dataset.range(5), 4)
        made = iter(range(10))
        with self.assertRaises(AssertionError):
            self.verify_unused_iterator(lambda: Dataset.from_tensors(next(made)), 1)
        with self.assertRaises(AssertionError):
            self.verify_error_on_save(lambda: Dataset.range(4), 4, tf.errors.OpError)
        self.does_not_match({"a": [1]}, {"a": [2]})
        self.does_not_match([1], (1,))
        self.match({"a": np.ones(2)}, {"a": np.ones(2)})
