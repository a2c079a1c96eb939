"""tf.keras.regularizers: losses of weights' sizes."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as _unary
from dataflow.keras.backend.tensors import constant
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.ops.reductions.reduce import reduce_sum


class Regularizer:
    """A function that makes a loss of a variable."""

    def __call__(self, x: Any) -> Any:
        """The loss: none."""
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A regularizer of its arguments."""
        return cls(**config)


class L1L2(Regularizer):
    """`l1 * sum(|x|) + l2 * sum(x ** 2)`."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        """Takes the two factors."""
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x: Any) -> Any:
        """The loss of a tensor or variable: a scalar."""
        if not (self.l1 or self.l2):
            return constant(0.0)
        loss: Any = 0.0
        if self.l1:
            loss += self.l1 * reduce_sum(_unary.abs(x))
        if self.l2:
            loss += self.l2 * reduce_sum(_unary.square(x))
        return loss

    def get_config(self) -> dict[str, float]:
        """The two factors by name."""
        return {"l1": self.l1, "l2": self.l2}


def l1(l: float = 0.01) -> L1L2:  # noqa: E741
    """`l * sum(|x|)`."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741
    """`l * sum(x ** 2)`."""
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """`l1 * sum(|x|) + l2 * sum(x ** 2)`."""
    return L1L2(l1, l2)


def get(identifier: Any) -> Any:
    """A regularizer as it is, or made of its name or its configuration; None for none.

    Raises:
      ValueError: If there is none of this name.
    """
    if identifier is None or callable(identifier):
        return identifier
    if not isinstance(identifier, (str, dict)):
        raise ValueError("Could not interpret regularizer identifier:", identifier)
    return deserialize(identifier)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The regularizer of a name or configuration."""
    made = deserialize_keras_object(config, globals(), custom_objects, "regularizer")
    return made() if made in (l1, l2, l1_l2) else made


def serialize(regularizer: Any) -> Any:
    """The class and the arguments of a regularizer, or the name of a function."""
    return serialize_keras_object(regularizer)
