"""tf.keras.wrappers.scikit_learn: models by scikit-learn's interface of estimators."""

from __future__ import annotations

import copy
import inspect
import types
from typing import Any

import numpy as np

from dataflow.keras.conveniences import to_categorical
from dataflow.keras.engine.sequential import Sequential


def _takes(function: Any, name: str) -> bool:
    parameter = inspect.signature(function).parameters.get(name)
    return parameter is not None and parameter.kind in (
        parameter.POSITIONAL_OR_KEYWORD,
        parameter.KEYWORD_ONLY,
    )


class BaseWrapper:
    """The base of both wrappers.

    Args:
      build_fn: A function, or an object that is called, that gives a compiled model; None for the
        `__call__` of a subclass.
      **sk_params: Arguments of it, and of `fit`, `predict`, `predict_classes` and `evaluate` of
        models.

    Raises:
      ValueError: None of these takes an argument.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _maker(self) -> Any:
        if self.build_fn is None:
            return self.__call__  # type: ignore[operator]
        return self.build_fn

    def _signed_maker(self) -> Any:
        maker = self._maker()
        is_plain = isinstance(maker, (types.FunctionType, types.MethodType))
        return maker if is_plain else maker.__call__

    def check_params(self, params: dict[str, Any]) -> None:
        """Raises ValueError for an argument that nothing takes."""
        legal = [
            Sequential.fit,
            Sequential.predict,
            Sequential.predict_classes,
            Sequential.evaluate,
            self._signed_maker(),
        ]
        for name in params:
            if name != "nb_epoch" and not any(_takes(each, name) for each in legal):
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """The arguments, and `build_fn`; what is given is not used."""
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> Any:
        """Changes arguments; returns the wrapper.

        Raises:
          ValueError: Nothing takes one of them.
        """
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model and trains it; returns its history.

        Args:
          x: Samples.
          y: What is true of them; numbers of classes are encoded for a categorical loss.
          **kwargs: For the model's `fit`.
        """
        self.model = self._maker()(**self.filter_sk_params(self._signed_maker()))
        if _is_categorical(self.model.loss) and len(y.shape) != 2:
            y = to_categorical(y)
        options = {**copy.deepcopy(self.filter_sk_params(Sequential.fit)), **kwargs}
        return self.model.fit(x, y, **options)

    def filter_sk_params(self, fn: Any, override: Any = None) -> dict[str, Any]:
        """Those of the arguments that a function takes, and others over them."""
        taken = {name: each for name, each in self.sk_params.items() if _takes(fn, name)}
        return {**taken, **(override or {})}


def _is_categorical(loss: Any) -> bool:
    return "categorical_crossentropy" in (loss, getattr(loss, "__name__", None))


class KerasClassifier(BaseWrapper):
    """A model as a classifier."""

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model and trains it; returns its history.

        Args:
          x: Samples.
          y: Their classes, or a column for each class.
          **kwargs: For the model's `fit`.

        Raises:
          ValueError: `y` is neither a vector nor a matrix.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim in (1, 2):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The classes of samples."""
        options = self.filter_sk_params(Sequential.predict_classes, kwargs)
        return self.classes_[self.model.predict_classes(x, **options)]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """How likely each class is, also where the model tells it of one of two only."""
        likely = self.model.predict_proba(
            x, **self.filter_sk_params(Sequential.predict_proba, kwargs)
        )
        return np.hstack([1 - likely, likely]) if likely.shape[1] == 1 else likely

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The share of samples whose class is predicted.

        Raises:
          ValueError: The model has no such metric.
        """
        y = np.searchsorted(self.classes_, y)
        options = self.filter_sk_params(Sequential.evaluate, kwargs)
        if _is_categorical(self.model.loss) and len(y.shape) != 2:
            y = to_categorical(y)
        found = self.model.evaluate(x, y, **options)
        found = found if isinstance(found, list) else [found]
        for name, value in zip(self.model.metrics_names, found, strict=True):
            if name in ("accuracy", "acc"):
                return value
        raise ValueError(
            "The model is not configured to compute accuracy. You should pass "
            '`metrics=["accuracy"]` to the `model.compile()` method.'
        )


class KerasRegressor(BaseWrapper):
    """A model as a regressor."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """What the model predicts of samples."""
        options = self.filter_sk_params(Sequential.predict, kwargs)
        return np.squeeze(self.model.predict(x, **options))

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """The loss, negated, so that more is better."""
        loss = self.model.evaluate(x, y, **self.filter_sk_params(Sequential.evaluate, kwargs))
        return -loss[0] if isinstance(loss, list) else -loss
