"""tf.keras.optimizers.schedules: learning rates that depend on the step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import dataflow.training.learning_rate_decay as decays
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object


class LearningRateSchedule:
    """A function of the step: subclasses say in `__call__` what the rate is."""

    def __call__(self, step: Any) -> Any:
        """The rate of a step."""
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A schedule of what `get_config` gave."""
        return cls(**config)


def _schedule(name: str, decay: Callable[..., Any], renamed: dict[str, str]) -> Any:
    """A class of one of tf.train's decays; it takes all that this takes but the step."""
    taken = "x" if "x" in inspect.signature(decay).parameters else "global_step"
    parameters = [
        each.replace(name=renamed.get(each.name, each.name), annotation=inspect.Parameter.empty)
        for each in inspect.signature(decay).parameters.values()
        if each.name != taken
    ]
    theirs = {new: old for old, new in renamed.items()}
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([own, *parameters])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        self._arguments = dict(list(bound.arguments.items())[1:])
        vars(self).update(self._arguments)

    def __call__(self: Any, step: Any) -> Any:
        given = {theirs.get(key, key): value for key, value in self._arguments.items()}
        return decay(**given, **{taken: step})

    def get_config(self: Any) -> dict[str, Any]:
        return dict(self._arguments)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    members = {
        "__init__": __init__,
        "__call__": __call__,
        "get_config": get_config,
        "__doc__": f"The rate that `{decay.__name__}` gives.",
        "__module__": __name__,
    }
    return type(name, (LearningRateSchedule,), members)


_RATE = {"learning_rate": "initial_learning_rate"}
ExponentialDecay = _schedule("ExponentialDecay", decays.exponential_decay, _RATE)
PiecewiseConstantDecay = _schedule("PiecewiseConstantDecay", decays.piecewise_constant, {})
PolynomialDecay = _schedule("PolynomialDecay", decays.polynomial_decay, _RATE)
InverseTimeDecay = _schedule("InverseTimeDecay", decays.inverse_time_decay, _RATE)
CosineDecay = _schedule("CosineDecay", decays.cosine_decay, _RATE)
CosineDecayRestarts = _schedule("CosineDecayRestarts", decays.cosine_decay_restarts, _RATE)
LinearCosineDecay = _schedule("LinearCosineDecay", decays.linear_cosine_decay, _RATE)
NoisyLinearCosineDecay = _schedule(
    "NoisyLinearCosineDecay", decays.noisy_linear_cosine_decay, _RATE
)


def serialize(learning_rate_schedule: Any) -> Any:
    """The class and arguments of a schedule."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The schedule of these."""
    return deserialize_keras_object(config, globals(), custom_objects, "decay")
