"""tf.keras.wrappers.scikit_learn: models by the interface of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
X = np.random.RandomState(0).rand(12, 3).astype("f")
NAMES = np.array(["no", "yes"])[(X.sum(1) > 1.5).astype(int)]


def _classes(units: int = 4, outputs: int = 2) -> Any:
    layers = keras.layers
    model = keras.Sequential([layers.Dense(units, input_dim=3)])
    model.add(layers.Dense(outputs, activation="softmax" if outputs > 1 else "sigmoid"))
    loss = "categorical_crossentropy" if outputs > 1 else "binary_crossentropy"
    model.compile("sgd", loss, metrics=["accuracy"])
    return model


class _Callable:
    def __call__(self, units: int = 4) -> Any:
        return _classes(units)


class _Own(keras.wrappers.scikit_learn.KerasClassifier):  # type: ignore[misc, name-defined]
    def __call__(self, units: int = 4) -> Any:
        return _classes(units)


@pytest.mark.parametrize(
    "classifier",
    [
        keras.wrappers.scikit_learn.KerasClassifier(_classes, units=5, epochs=2, verbose=0),
        keras.wrappers.scikit_learn.KerasClassifier(_classes, outputs=1, verbose=0),
        keras.wrappers.scikit_learn.KerasClassifier(_Callable(), units=5, verbose=0),
        _Own(units=5, verbose=0),
    ],
)
def test_classifiers(classifier: Any) -> None:
    history = classifier.fit(X, NAMES, batch_size=6)
    assert len(history.epoch) == classifier.get_params().get("epochs", 1)
    assert classifier.classes_.tolist() == ["no", "yes"]
    likely = classifier.predict_proba(X)
    np.testing.assert_allclose(likely.sum(1), 1.0, rtol=1e-5)
    named = classifier.predict(X).reshape(-1)
    assert named.tolist() == classifier.classes_[likely.argmax(1)].tolist()
    np.testing.assert_allclose(classifier.score(X, NAMES), (named == NAMES).mean(), rtol=1e-5)


def test_regressors_and_their_arguments() -> None:
    def build(rate: float = 0.1) -> Any:
        model = keras.Sequential([keras.layers.Dense(1, input_dim=3)])
        model.compile(keras.optimizers.SGD(rate), "mse")
        return model

    regressor = keras.wrappers.scikit_learn.KerasRegressor(build, rate=0.0, verbose=0)
    regressor.fit(X, X.sum(1))
    found = regressor.predict(X)
    assert found.shape == (12,)
    wanted = -((found - X.sum(1)) ** 2).mean()
    np.testing.assert_allclose(regressor.score(X, X.sum(1)), wanted, rtol=1e-5)
    assert regressor.set_params(epochs=3).get_params()["epochs"] == 3
    for bad in (lambda: regressor.set_params(unknown=1), lambda: type(regressor)(build, unknown=1)):
        with pytest.raises(ValueError, match="unknown is not a legal parameter"):
            bad()


def test_scores_need_accuracy() -> None:
    def build() -> Any:
        model = keras.Sequential([keras.layers.Dense(1, input_dim=3)])
        model.compile("sgd", "mse")
        return model

    classifier = keras.wrappers.scikit_learn.KerasClassifier(build, verbose=0)
    classifier.fit(X, NAMES)
    with pytest.raises(ValueError, match="not configured to compute accuracy"):
        classifier.score(X, NAMES)
    with pytest.raises(ValueError, match="Invalid shape for y"):
        classifier.fit(X, np.zeros((2, 2, 2)))
