"""tf.keras.constraints: functions that keep weights within bounds."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as _unary
from dataflow.keras import ops
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.library.clipping import clip_by_value
from dataflow.ops.basic.cast import cast
from dataflow.ops.reductions.reduce import reduce_sum

_EPSILON = 1e-7


class Constraint:
    """A function of a variable that gives what it becomes after an update."""

    def __call__(self, w: Any) -> Any:
        """The weights as they are."""
        return w

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return dict(vars(self))


def _norm(w: Any, axis: Any) -> Any:
    return _unary.sqrt(reduce_sum(_unary.square(w), axis, keepdims=True))


class NonNeg(Constraint):
    """No weight below zero."""

    def __call__(self, w: Any) -> Any:
        """The weights, and zeros for those below zero."""
        return w * cast(w >= 0.0, w.dtype.base_dtype)


class MaxNorm(Constraint):
    """No vector of weights longer than a length."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        """Takes the length, and the dimensions that vectors lie along."""
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        """The weights, scaled where they are too long."""
        norms = _norm(w, self.axis)
        return w * (clip_by_value(norms, 0, self.max_value) / (_EPSILON + norms))


class UnitNorm(Constraint):
    """Vectors of weights that have the length 1."""

    def __init__(self, axis: Any = 0) -> None:
        """Takes the dimensions that vectors lie along."""
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weights, scaled."""
        return w / (_EPSILON + _norm(w, self.axis))


class MinMaxNorm(Constraint):
    """Vectors of weights whose lengths go towards an interval, at a rate."""

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        """Takes the interval, the rate, and the dimensions that vectors lie along."""
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        """The weights, scaled."""
        norms = _norm(w, self.axis)
        wanted = self.rate * clip_by_value(norms, self.min_value, self.max_value)
        return w * ((wanted + (1 - self.rate) * norms) / (_EPSILON + norms))


class RadialConstraint(Constraint):
    """One weight for each ring of square kernels."""

    def __call__(self, w: Any) -> Any:
        """The kernels with the weights of their diagonal, from the center outwards.

        Raises:
          ValueError: The kernels are not square.
        """
        shape = w.shape.as_list()
        if len(shape) != 4 or shape[0] != shape[1]:
            raise ValueError(f"The weight tensor must be of rank 4 and square, but is {shape}")
        size, half = shape[0], shape[0] // 2
        odd = size % 2
        rings = [
            [half - min(y, x, size - 1 - y, size - 1 - x) - 1 + odd for x in range(size)]
            for y in range(size)
        ]
        places = [half - 1, *(half + ring - odd for ring in range(1, half + odd))]
        weights = ops.stack([w[at, at] for at in places])
        return ops.gather(weights, rings)


max_norm = MaxNorm
radial_constraint = RadialConstraint
min_max_norm = MinMaxNorm
non_neg = NonNeg
unit_norm = UnitNorm


maxnorm = MaxNorm
nonneg = NonNeg
unitnorm = UnitNorm


def get(identifier: Any) -> Any:
    """A constraint as it is, or made of its name or its configuration; None for none.

    Raises:
      ValueError: If there is none of this name.
    """
    if identifier is None or callable(identifier):
        return identifier
    if not isinstance(identifier, (str, dict)):
        raise ValueError(f"Could not interpret constraint identifier: {identifier}")
    return deserialize(identifier)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The constraint of a name or configuration."""
    return deserialize_keras_object(config, globals(), custom_objects, "constraint")


def serialize(constraint: Any) -> Any:
    """The class and the arguments of a constraint, or the name of a function."""
    return serialize_keras_object(constraint)
