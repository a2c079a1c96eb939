"""The factors that losses are multiplied by: fixed ones, and those that follow the gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.rounding import is_finite
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes, nest
from dataflow.variables.variable import Variable


class LossScale(ABC):
    """The base of factors; calling one gives it as a float32 scalar."""

    def __init__(self) -> None:
        """Begins without variables."""
        self._weights: dict[tuple[str, Any], Any] = {}

    @abstractmethod
    def __call__(self) -> Any:
        """The factor as a float32 scalar."""

    @abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """What changes the factor after a step.

        Args:
          grads: A structure of gradients, divided by the factor already; None is passed over.

        Returns:
          An operation, and whether the gradients are fit to be applied: a bool or a bool scalar.
        """

    @abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments that make it again."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LossScale:
        """Makes it of what `get_config` gave."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Any:
        """A variable of the factor's, which checkpoints of objects hold by its name.

        Raises:
          RuntimeError: This graph has one of that name.
        """
        key = (name, scopes.get_default_graph())
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        weight = Variable(initial_value, trainable=False, name=name, dtype=dtype, use_resource=True)
        self._weights[key] = weight
        return weight

    def _checkpoint_children(self) -> dict[str, Any]:
        graph = scopes.get_default_graph()
        return {name: each for (name, of), each in self._weights.items() if of is graph}


class FixedLossScale(LossScale):
    """A factor that stays as it is."""

    def __init__(self, loss_scale_value: float) -> None:
        """Takes the factor.

        Raises:
          ValueError: It is no number of Python's, or below 1.
        """
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Any:
        """The factor as a float32 scalar."""
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Nothing changes; gradients are always applied."""
        return no_op(), True

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it again."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


class DynamicLossScale(LossScale):
    """A factor that grows while gradients are finite, and falls when one is not."""

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        """Makes its variables.

        Args:
          initial_loss_scale: The factor at the beginning.
          increment_period: After how many steps with finite gradients it grows.
          multiplier: What it is multiplied or divided by.
        """
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current = self._add_weight(
            "current_loss_scale", self._initial_loss_scale, dtypes.float32
        )
        self._good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The factor at the beginning."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps with finite gradients the factor grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """What the factor is multiplied or divided by."""
        return self._multiplier

    def __call__(self) -> Any:
        """The factor as a float32 scalar."""
        return convert_to_tensor(self._current)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Grows after enough steps, unless it would overflow; falls, not below 1, at once."""
        finite = all_finite(nest.flatten(grads))
        changed = cond(finite, self._after_finite, self._after_infinite)
        return changed, finite

    def _after_finite(self) -> Any:
        def grown() -> Any:
            larger = self._current * self._multiplier
            kept = cond(is_finite(larger), lambda: self._current.assign(larger).op, no_op)
            return group(kept, self._good_steps.assign(0))

        return cond(
            self._good_steps + 1 >= self._increment_period,
            grown,
            lambda: self._good_steps.assign_add(1).op,
        )

    def _after_infinite(self) -> Any:
        smaller = maximum(self._current / self._multiplier, 1)
        return group(self._good_steps.assign(0), self._current.assign(smaller))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it again."""
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }

    def __repr__(self) -> str:
        listed = ", ".join(f"{name}={value}" for name, value in self.get_config().items())
        return f"DynamicLossScale({listed})"


def all_finite(grads: list[Any]) -> Tensor:
    """A bool scalar: whether all numbers of gradients are finite; None is passed over."""
    dense = [g.values if isinstance(g, IndexedSlices) else g for g in grads if g is not None]
    found: Tensor = reduce_all([reduce_all(is_finite(each)) for each in dense])
    return found


def loss_scale_of(identifier: Any) -> LossScale | None:
    """A factor of what a program gives for one: a number, "dynamic", a `LossScale` or None.

    Raises:
      ValueError: It is something else.
    """
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if isinstance(identifier, str) and identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")
