"""What says by how much a loss is multiplied: always the same, or as the gradients allow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.rounding import is_finite
from dataflow.ops.state.reference import assign, assign_add
from dataflow.values import dtypes
from dataflow.variables.variable import Variable


class LossScaleManager(ABC):
    """The base of what chooses a factor."""

    @abstractmethod
    def get_loss_scale(self) -> Any:
        """The factor as a float32 scalar."""

    @abstractmethod
    def update_loss_scale(self, finite_grads: Tensor) -> Any:
        """An operation that changes the factor after a step.

        Args:
          finite_grads: A bool scalar: whether all gradients are finite.
        """


class FixedLossScaleManager(LossScaleManager):
    """Keeps to one factor."""

    def __init__(self, loss_scale: float) -> None:
        """Takes the factor.

        Raises:
          ValueError: It is below 1.
        """
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self) -> Any:
        """The factor as a float32 scalar."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Tensor) -> Any:
        """Changes nothing."""
        return no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """Raises the factor after finite steps in a row, and lowers it after some that are not."""

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        """Makes its variables.

        Args:
          init_loss_scale: The factor at the beginning.
          incr_every_n_steps: After how many finite steps in a row it is raised.
          decr_every_n_nan_or_inf: After how many other steps it is lowered; both counts begin
            anew whenever it changes.
          incr_ratio: What it is multiplied by to be raised, unless it would overflow.
          decr_ratio: What it is multiplied by to be lowered, down to 1.
        """
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = Variable(
            convert_to_tensor(init_loss_scale, dtypes.float32),
            trainable=False,
            name="loss_scale",
            dtype=dtypes.float32,
        )
        self._num_good_steps, self._num_bad_steps = (
            Variable(0, trainable=False, name=name, dtype=dtypes.int32)
            for name in ("good_steps", "bad_steps")
        )

    def get_loss_scale(self) -> Any:
        """The variable of the factor."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Tensor) -> Any:
        """An operation that counts the step, and changes the factor where it is time."""
        return cond(finite_grads, self._after_finite, self._after_infinite)

    def _after_finite(self) -> Any:
        def raised() -> Any:
            factor = cond(
                is_finite(self._loss_scale * self._incr_ratio),
                lambda: self._loss_scale * self._incr_ratio,
                lambda: self._loss_scale,
            )
            return self._changed_to(factor)

        return cond(
            self._num_good_steps + 1 >= self._incr_every_n_steps,
            raised,
            lambda: assign_add(self._num_good_steps, 1).op,
        )

    def _after_infinite(self) -> Any:
        return cond(
            self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf,
            lambda: self._changed_to(maximum(1.0, self._loss_scale * self._decr_ratio)),
            lambda: group(assign_add(self._num_bad_steps, 1), assign(self._num_good_steps, 0)),
        )

    def _changed_to(self, factor: Any) -> Any:
        changed = assign(self._loss_scale, factor)
        return group(
            changed, group(assign(self._num_good_steps, 0), assign(self._num_bad_steps, 0))
        )
