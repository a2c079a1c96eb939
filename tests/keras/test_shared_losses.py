"""Losses of layers that several models share, of regularizers and of measured results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
layers: Any = keras.layers
X = np.random.RandomState(0).rand(8, 3).astype("f")
Y = X.sum(1, keepdims=True)


def test_a_shared_layer_counts_in_each_model_that_has_it() -> None:
    """TensorFlow 1.15 prints 5, 5, 12, 4, 4 and 2 for the same program."""
    shared = layers.Dense(2, kernel_regularizer="l2", activity_regularizer="l2")
    inner = []
    for _ in range(2):
        start = layers.Input((5,))
        inner.append(keras.Model(start, layers.Dense(2, kernel_regularizer="l2")(shared(start))))
    a, b = layers.Input((5,)), layers.Input((5,))
    first = inner[0](a)
    assert [len(each.losses) for each in inner] == [5, 5]
    model = keras.Model([a, b], layers.Average()([first, inner[1](b)]))
    assert len(model.losses) == 12
    found = [len(model.get_losses_for(each)) for each in (None, [a, b], [a])]
    assert found == [4, 4, 2]


def test_what_is_trained_has_a_shared_regularizer_twice() -> None:
    shared = layers.Dense(1, kernel_initializer="ones", use_bias=False, kernel_regularizer="l2")
    starts = [layers.Input((3,)) for _ in range(2)]
    inner = [keras.Model(each, shared(each)) for each in starts]
    a, b = layers.Input((3,)), layers.Input((3,))
    model = keras.Model([a, b], layers.Add()([inner[0](a), inner[1](b)]))
    model.compile(keras.optimizers.SGD(0.0), "mse")
    wanted = ((2 * Y - Y) ** 2).mean() + 2 * 0.01 * 3
    np.testing.assert_allclose(model.evaluate([X, X], Y, verbose=0), wanted, rtol=1e-5)


@pytest.mark.parametrize("made", [keras.regularizers.l1(0.0), keras.regularizers.l1_l2(0.0, 0.0)])
def test_a_regularizer_without_strength_gives_a_tensor(made: Any) -> None:
    model = keras.Sequential(
        [layers.Dense(1, kernel_regularizer=made, activity_regularizer=made, input_shape=(3,))]
    )
    model.compile(keras.optimizers.SGD(0.0), "mse")
    left = ((model.predict(X) - Y) ** 2).mean()
    np.testing.assert_allclose(model.train_on_batch(X, Y), left, rtol=1e-5)
    assert made(tf.constant([1.0])).dtype == tf.float32


def test_measured_losses_are_numbers_of_numpy() -> None:
    """TensorFlow 1.15 gives numpy.float64 for losses over batches, numpy.float32 for one batch."""
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    history = model.fit(X, Y, verbose=0, validation_data=(X, Y)).history
    results = [model.evaluate(X, Y, verbose=0), history["loss"][0], history["val_loss"][0]]
    assert [type(each) for each in results] == [np.float64] * 3
    assert type(model.test_on_batch(X, Y)) is np.float32


def test_rows_of_a_file_end_where_they_end(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.h5")
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(20.0)
    rows = keras.utils.HDF5Matrix(path, "x", start=5, end=15)
    np.testing.assert_array_equal(rows[7:10], [12, 13, 14])
    np.testing.assert_array_equal(rows[[3, 0, 3]], [8, 5, 8])
    for outside in (slice(8, 11), 10, [0, 10], range(10, 11)):
        with pytest.raises(IndexError):
            rows[outside]
    with pytest.raises(TypeError, match="Rows are taken by numbers"):
        rows[None]
