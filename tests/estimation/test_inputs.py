"""numpy_input_fn and pandas_input_fn: batches in order, epochs, orders of chance, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import dataflow as tf

A = np.arange(4) * 1.0
B = np.arange(32, 36).reshape(2, 2).repeat(2, 0)
LABELS = np.arange(-32, -28)
FRAME = pandas.DataFrame({"a": np.arange(4), "b": np.arange(4) * 0.5}, index=[7, 8, 9, 10])
SERIES = pandas.Series(LABELS, index=FRAME.index)


def read(input_fn: Any, most: int = 100) -> list[Any]:
    """The batches of an input function."""
    found: list[Any] = []
    with tf.Graph().as_default():
        tensors = input_fn()
        with tf.train.MonitoredSession() as session:
            while len(found) < most and not session.should_stop():
                found.append(session.run(tensors))
    return found


def test_batches_in_order() -> None:
    inputs = tf.estimator.inputs.numpy_input_fn(
        {"a": A, "b": B}, LABELS, batch_size=2, shuffle=False, num_epochs=1
    )
    found = read(inputs)
    assert len(found) == 2
    for index, (features, labels) in enumerate(found):
        rows = slice(2 * index, 2 * index + 2)
        np.testing.assert_array_equal(features["a"], A[rows])
        np.testing.assert_array_equal(features["b"], B[rows])
        np.testing.assert_array_equal(labels, LABELS[rows])


def test_epochs_join_and_the_last_batch_is_small() -> None:
    inputs = tf.estimator.inputs.numpy_input_fn(A, batch_size=3, num_epochs=2, shuffle=False)
    assert [list(batch) for batch in read(inputs)] == [[0, 1, 2], [3, 0, 1], [2, 3]]
    inputs = tf.estimator.inputs.numpy_input_fn(A, batch_size=10, num_epochs=1, shuffle=False)
    assert [list(batch) for batch in read(inputs)] == [[0, 1, 2, 3]]
    inputs = tf.estimator.inputs.numpy_input_fn(A, batch_size=3, num_epochs=None, shuffle=False)
    assert [list(batch) for batch in read(inputs, 3)] == [[0, 1, 2], [3, 0, 1], [2, 3, 0]]


def test_an_order_of_chance_has_all_rows_of_each_epoch() -> None:
    rows = np.arange(50)
    inputs = tf.estimator.inputs.numpy_input_fn(
        {"x": rows}, {"y": -rows}, batch_size=50, num_epochs=2, shuffle=True
    )
    first, second = read(inputs)
    for features, labels in (first, second):
        np.testing.assert_array_equal(features["x"], -labels["y"])
        np.testing.assert_array_equal(np.sort(features["x"]), rows)
    assert (first[0]["x"] != rows).any()
    assert (first[0]["x"] != second[0]["x"]).any()


def test_static_shapes_and_types() -> None:
    with tf.Graph().as_default():
        inputs = tf.estimator.inputs.numpy_input_fn(
            {"b": B, "s": np.array(["a", "b", "c", "d"])}, num_epochs=None, shuffle=False
        )
        features = inputs()
        assert features["b"].shape.as_list() == [128, 2]
        assert features["b"].dtype == tf.int64
        assert features["s"].dtype == tf.string
        (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert isinstance(runner, tf.train.QueueRunner)


def test_refusals_of_arrays() -> None:
    make = tf.estimator.inputs.numpy_input_fn
    with pytest.raises(ValueError, match="shuffle must be provided and explicitly set as boolean"):
        make(A)
    with pytest.raises(TypeError, match="x must be a dict or array; got list"):
        make([1, 2], shuffle=False)()
    with pytest.raises(ValueError, match="x cannot be an empty dict"):
        make({}, shuffle=False)()
    with pytest.raises(ValueError, match="y cannot be empty dict, use None instead"):
        make(A, {}, shuffle=False)()
    with pytest.raises(ValueError, match="Length of tensors in x and y is mismatched"):
        make(A, LABELS[:2], shuffle=False)()
    with pytest.raises(ValueError, match=r"1 duplicate keys are found in both x and y: .'a'"):
        make({"a": A}, {"a": A}, shuffle=False)()


def test_frames() -> None:
    make = tf.estimator.inputs.pandas_input_fn
    found = read(make(FRAME, SERIES, batch_size=3, shuffle=False))
    assert [list(labels) for _, labels in found] == [[-32, -31, -30], [-29]]
    assert [list(features["a"]) for features, _ in found] == [[0, 1, 2], [3]]
    (features,) = read(make(FRAME, shuffle=False))
    np.testing.assert_array_equal(features["b"], FRAME["b"])
    ((_, labels),) = read(make(FRAME, FRAME * 2, shuffle=False))
    np.testing.assert_array_equal(labels["a"], FRAME["a"] * 2)


def test_refusals_of_frames() -> None:
    make = tf.estimator.inputs.pandas_input_fn
    with pytest.raises(TypeError, match="`x` must be a DataFrame"):
        make({"a": A}, shuffle=False)
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        make(FRAME, pandas.Series(LABELS), shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name a for target column"):
        make(FRAME, SERIES, shuffle=False, target_column="a")
    with pytest.raises(ValueError, match="shuffle must be provided"):
        make(FRAME)
