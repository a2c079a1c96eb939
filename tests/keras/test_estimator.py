"""Estimators of models: they begin with the model's weights and train as the model does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

X = np.random.RandomState(1).rand(16, 3).astype(np.float32)
Y = X.sum(1, keepdims=True)


def model(optimizer: Any) -> Any:
    keras = tf.keras
    made = keras.Sequential(
        [
            keras.layers.Dense(4, activation="relu", input_shape=(3,)),
            keras.layers.BatchNormalization(momentum=0.5),
            keras.layers.Dense(1),
        ]
    )
    made.compile(optimizer, loss="mse", metrics=["mae"])
    return made


def batches(epochs: int | None = 1) -> Any:
    def input_fn() -> Any:
        return tf.data.Dataset.from_tensor_slices((X, Y)).repeat(epochs).batch(8)

    return input_fn


@pytest.mark.parametrize("of_train", [True, False])
def test_an_estimator_trains_as_its_model_does(tmp_path: Path, of_train: bool) -> None:
    tf.keras.backend.clear_session()
    made = model(
        tf.train.GradientDescentOptimizer(0.1) if of_train else tf.keras.optimizers.Adam(0.05)
    )
    found = tf.keras.estimator.model_to_estimator(made, model_dir=str(tmp_path))
    rows = [next(iter(row.values())) for row in found.predict(batches())]
    np.testing.assert_allclose(rows, made.predict(X), rtol=1e-5, atol=1e-6)
    loss, error = made.evaluate(X, Y, batch_size=8, verbose=0)
    results = found.evaluate(batches())
    np.testing.assert_allclose(results["loss"], loss, rtol=1e-5)
    np.testing.assert_allclose(results["mean_absolute_error"], error, rtol=1e-5)
    found.train(batches(None), steps=4)
    for step in range(4):
        begin = 8 * (step % 2)
        made.train_on_batch(X[begin : begin + 8], Y[begin : begin + 8])
    values = [found.get_variable_value(each.op.name) for each in made.weights]
    for value, expected in zip(values, made.get_weights(), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)
    assert found.get_variable_value("global_step") == 4


def test_inputs_by_name_and_weights_of_examples(tmp_path: Path) -> None:
    tf.keras.backend.clear_session()
    start = tf.keras.Input((3,), name="start")
    made = tf.keras.Model(start, tf.keras.layers.Dense(1, name="end")(start))
    made.compile("sgd", loss="mse")
    found = tf.keras.estimator.model_to_estimator(made, model_dir=str(tmp_path))
    weights = np.arange(16, dtype=np.float32)

    def input_fn() -> Any:
        features = {"features": {"start": X}, "sample_weights": weights}
        return tf.data.Dataset.from_tensors((features, {"end": Y}))

    expected = made.evaluate(X, Y, batch_size=16, sample_weight=weights, verbose=0)
    np.testing.assert_allclose(found.evaluate(input_fn)["loss"], expected, rtol=1e-5)
    with pytest.raises(KeyError, match="does not have the expected inputs keys"):
        found.evaluate(lambda: tf.data.Dataset.from_tensors(({"other": X}, Y)))


def test_models_that_are_refused(tmp_path: Path) -> None:
    tf.keras.backend.clear_session()
    convert = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="Either `keras_model` or `keras_model_path`"):
        convert()
    with pytest.raises(ValueError, match="has not been compiled yet"):
        convert(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]))
    with pytest.raises(ValueError, match="Checkpoint format must be one of"):
        convert(model("sgd"), checkpoint_format="other")

    class Own(tf.keras.Model):  # type: ignore[misc, name-defined]
        def call(self, inputs: Any) -> Any:
            return inputs

    own = Own()
    own.compile("sgd", "mse")
    with pytest.raises(ValueError, match="a subclass with a `call` of its own"):
        convert(own, model_dir=str(tmp_path))
