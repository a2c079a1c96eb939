"""What experiments ask of a model, and parameters of objects as scikit-learn has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Trainable(ABC):
    """What can be trained."""

    @abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains; see `tf.contrib.learn.Estimator.fit`."""
        raise NotImplementedError


class Evaluable(ABC):
    """What can be evaluated."""

    @property
    @abstractmethod
    def model_dir(self) -> Any:
        """Where its checkpoints are."""
        raise NotImplementedError

    @abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Evaluates; see `tf.contrib.learn.Estimator.evaluate`."""
        raise NotImplementedError


class NotFittedError(ValueError, AttributeError):
    """A model was used before it was trained."""


class WithParameters:
    """An object whose public attributes are parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name.

        Args:
          deep: Whether parameters of parameters are among them, as `<name>__<name>`.
        """
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                inside = value.get_params()
                found |= {f"{name}__{inner}": each for inner, each in inside.items()}
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name, and gives the object.

        Raises:
          ValueError: One is unknown.
        """
        known = self.get_params() if params else {}
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name} for estimator {self}. Check the list of available "
                    "parameters with `estimator.get_params().keys()`."
                )
            if inner:
                known[name].set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self
