"""Feeds of arrays and iterators, as TensorFlow 1.15 makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.learn.learn_io import data_feeder

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def test_arrays_in_order() -> None:
    with tf.Graph().as_default():
        feeder = data_feeder.setup_train_data_feeder(X, [2, 0, 1], 3, 2, shuffle=False, epochs=1)
        assert (feeder.input_shape, feeder.output_shape) == ([2, 2], [2, 3])
        x, y = feeder.input_builder()
        assert (x.name, x.shape.as_list(), y.name, y.shape.as_list()) == (
            *("input:0", [None, 2]),
            *("output:0", [None, 3]),
        )
        assert (x.dtype, y.dtype) == (tf.float32, tf.int64)
        epoch = feeder.make_epoch_variable()
        feeds = feeder.get_feed_dict_fn()
        first = feeds()
        assert first[epoch.name] == [0] and feeder.get_feed_params()["offset"] == 2
        np.testing.assert_array_equal(first[x.name], X[:2])
        np.testing.assert_array_equal(first[y.name], [[0, 0, 1], [1, 0, 0]])
        np.testing.assert_array_equal(feeds()[y.name], [[0, 1, 0]])
        assert feeder.get_feed_params() == {"epoch": 1, "offset": 0, "batch_size": 2}
        with pytest.raises(StopIteration):
            feeds()


def test_shuffled_arrays_are_numpys_permutation_of_seed_42() -> None:
    with tf.Graph().as_default():
        feeder = data_feeder.DataFeeder(X, None, None)
        x, none = feeder.input_builder()
        assert none is None and feeder.batch_size == 3 and feeder.shuffle
        random = np.random.RandomState(42)
        feeds = feeder.get_feed_dict_fn()
        for _ in range(2):
            np.testing.assert_array_equal(feeds()[x.name], X[random.permutation(3)])


def test_arrays_by_name() -> None:
    with tf.Graph().as_default():
        feeder = data_feeder.DataFeeder(
            {"a": X, "b": X[:, 0]},
            {"c": np.array([1, 0, 1]), "d": np.array([[1.5], [2.5], [3.5]], np.float32)},
            {"c": 2},
            2,
            shuffle=False,
        )
        x, y = feeder.input_builder()
        found = feeder.get_feed_dict_fn()()
        assert x["a"].name == "input_a:0" and y["c"].dtype == tf.float32
        np.testing.assert_array_equal(found[x["b"].name], [[1], [3]])
        np.testing.assert_array_equal(found[y["c"].name], [[0, 1], [1, 0]])
        np.testing.assert_array_equal(found[y["d"].name], [1.5, 2.5])


def test_iterators() -> None:
    with tf.Graph().as_default():
        feeder = data_feeder.setup_train_data_feeder(iter(X), iter([0, 2, 1]), 3, 2)
        x, y = feeder.input_builder()
        feeds = feeder.get_feed_dict_fn()
        np.testing.assert_array_equal(feeds()[y.name], [[1, 0, 0], [0, 0, 1]])
        last = feeds()
        np.testing.assert_array_equal(last[x.name], X[2:])
        np.testing.assert_array_equal(last[y.name], [[0, 1, 0]])
        assert last[y.name].dtype == np.float32
        with pytest.raises(StopIteration):
            feeds()
        assert feeder.get_feed_params() == {"batch_size": 2}


def test_iterators_by_name_and_without_labels() -> None:
    rows: list[Any] = [{"a": X[i], "b": np.float32(i)} for i in range(3)]
    labels: list[Any] = [{"c": i, "d": float(i)} for i in range(3)]
    with tf.Graph().as_default():
        feeder = data_feeder.StreamingDataFeeder(iter(rows), iter(labels), {"c": 3}, 3)
        x, y = feeder.input_builder()
        found = feeder.get_feed_dict_fn()()
        np.testing.assert_array_equal(found[x["b"].name], [[0], [1], [2]])
        np.testing.assert_array_equal(found[y["c"].name], np.eye(3))
        np.testing.assert_array_equal(found[y["d"].name], [0, 1, 2])
        alone = data_feeder.StreamingDataFeeder(iter(X), None, None, None)
        placeholder, none = alone.input_builder()
        assert none is None and list(alone.get_feed_dict_fn()()) == [placeholder.name]


def test_batches_to_predict_of() -> None:
    parts = data_feeder.setup_predict_data_feeder(X, 2)
    assert [len(part) for part in parts] == [2, 1]
    (column,) = data_feeder.setup_predict_data_feeder(X[:, 0])
    assert column.shape == (3, 1)
    streamed = list(data_feeder.setup_predict_data_feeder(iter(X), 2))
    np.testing.assert_array_equal(np.concatenate(streamed), X)
    (named,) = data_feeder.setup_predict_data_feeder(iter([{"a": X[0]}, {"a": X[1]}]))
    np.testing.assert_array_equal(named["a"], X[:2])
    assert data_feeder.setup_processor_data_feeder(X) is X
    assert data_feeder.check_array([1, 2], np.float32).dtype == np.float32


def test_what_is_refused() -> None:
    refused = [
        (lambda: data_feeder.DataFeeder(X, None, None, 0), ValueError, "Invalid batch_size 0."),
        (
            lambda: data_feeder.setup_predict_data_feeder(X, -1),
            ValueError,
            "Invalid batch_size -1.",
        ),
        (
            lambda: data_feeder.setup_train_data_feeder(iter(X), [1, 2, 3], 2),
            ValueError,
            "Both x and y should be iterators for streaming learning to work.",
        ),
        (
            lambda: data_feeder.DataFeeder(X, {"a": X[:, 0]}, 3),
            TypeError,
            "n_classes must be a dictionary as labels are, not 3.",
        ),
        (
            lambda: data_feeder.DataFeeder(X, None, None).get_feed_dict_fn()(),
            ValueError,
            "There are no placeholders to feed",
        ),
    ]
    for make, error, text in refused:
        with pytest.raises(error, match=text):
            make()
