"""Steps that are longer where gradient and momentum agree in sign, and how that fades.

Bello, Zoph, Vasudevan, Le, Neural optimizer search with reinforcement learning, 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.opt.rows import set_rows, subtract_rows
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.division import floormod
from dataflow.ops.math.rounding import sign
from dataflow.ops.math.trig import cos
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of
from dataflow.values import dtypes

Decay = Callable[[Any], Any]


class _SignOptimizer(Optimizer):
    """What both have: momentum, and how long signs count."""

    def __init__(
        self,
        learning_rate: Any,
        beta: float,
        sign_decay_fn: Decay | None,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._beta, self._sign_decay_fn = learning_rate, beta, sign_decay_fn

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`; with `sign_decay_fn` it needs the global step.

        Raises:
          ValueError: There is none.
        """
        if self._sign_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for this sign_decay_fn")
            self._sign_decay: Any = self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def _prepare(self) -> None:
        self._lr_t = convert_to_tensor(self._call_if_callable(self._lr), name="learning_rate")
        self._beta_t = convert_to_tensor(self._beta, name="beta")
        if self._sign_decay_fn is None:
            self._sign_decay = 1.0
        self._sign_decay_t = convert_to_tensor(self._sign_decay, name="sign_decay")

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        return self._rows(grad, handle, indices)

    def _rows(self, grad: Any, var: Any, indices: Tensor) -> Operation:
        beta, rate = as_type_of(var, self._beta_t), as_type_of(var, self._lr_t)
        m = self.get_slot(var, "m")
        new_m: Any = gather(m, indices) * beta + grad * (1 - beta)
        agreement: Any = sign(grad) * sign(new_m)
        step = rate * self._factor(as_type_of(var, self._sign_decay_t) * agreement) * grad
        return group(set_rows(m, indices, new_m), subtract_rows(var, indices, step))

    def _factor(self, agreement: Any) -> Any:
        """By how much a step is longer, for -1 to 1."""
        raise NotImplementedError


class PowerSignOptimizer(_SignOptimizer):
    """`variable -= learning_rate * base ** (decay * sign(gradient) * sign(m)) * gradient`."""

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = math.e,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        """Makes an optimizer.

        Args:
          learning_rate: The rate.
          base: See above.
          beta: Decay of the momentum `m`.
          sign_decay_fn: The decay for the global step; 1 if None.
          use_locking: Whether updates of reference variables exclude each other.
          name: Name of the scope of the operations, and of the slots.
        """
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = math.log(base)

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        logbase = convert_to_tensor(self._logbase, name="logbase")
        values = (self._lr_t, logbase, self._sign_decay_t, self._beta_t)
        scalars = [as_type_of(var, value) for value in values]
        return self._self_apply("PowerSign", var, ["m"], [*scalars, grad, indices])

    def _factor(self, agreement: Any) -> Any:
        return math_unary.exp(self._logbase * agreement)


class AddSignOptimizer(_SignOptimizer):
    """`variable -= learning_rate * (alpha + decay * sign(gradient) * sign(m)) * gradient`."""

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: float = 1.0,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        """Makes an optimizer.

        Args:
          learning_rate: The rate.
          alpha: See above.
          beta: Decay of the momentum `m`.
          sign_decay_fn: The decay for the global step; 1 if None.
          use_locking: Whether updates of reference variables exclude each other.
          name: Name of the scope of the operations, and of the slots.
        """
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        alpha = convert_to_tensor(self._alpha, name="alpha")
        values = (self._lr_t, alpha, self._sign_decay_t, self._beta_t)
        scalars = [as_type_of(var, value) for value in values]
        return self._self_apply("AddSign", var, ["m"], [*scalars, grad, indices])

    def _factor(self, agreement: Any) -> Any:
        return self._alpha + agreement


def get_linear_decay_fn(decay_steps: float) -> Decay:
    """From 1 to 0 over a number of steps.

    Raises:
      ValueError: The number is not positive.
    """
    _check(decay_steps)

    def decay(step: Any) -> Any:
        left: Any = math_binary.maximum(0.0, decay_steps - cast(step, dtypes.float32))
        return left / decay_steps

    return decay


def get_cosine_decay_fn(
    decay_steps: float, num_periods: float = 0.5, zero_after: float | None = None
) -> Decay:
    """Half of one plus the cosine of `2 pi num_periods step / decay_steps`.

    Args:
      decay_steps: See above.
      num_periods: See above.
      zero_after: After how many periods it is 0; never if None.

    Raises:
      ValueError: A number is not positive.
    """
    _check(decay_steps)
    _check_period(zero_after)

    def decay(step: Any) -> Any:
        done: Any = num_periods * (cast(step, dtypes.float32) / decay_steps)
        value: Any = 0.5 + 0.5 * cos(2.0 * math.pi * done)
        return value if zero_after is None else where(done > zero_after, 0.0 * value, value)

    return decay


def get_restart_decay_fn(
    decay_steps: float, num_periods: float = 1, zero_after: float | None = None
) -> Decay:
    """Half of one plus the cosine of `pi` times the part of `num_periods step / decay_steps`.

    Args:
      decay_steps: See above.
      num_periods: See above.
      zero_after: After how many periods it is 0; never if None.

    Raises:
      ValueError: A number is not positive.
    """
    _check(decay_steps)
    _check_period(zero_after)

    def decay(step: Any) -> Any:
        done: Any = num_periods * (cast(step, dtypes.float32) / decay_steps)
        part: Any = floormod(done, 1.0)
        value: Any = 0.5 + 0.5 * cos(math.pi * part)
        if zero_after is None:
            return value
        return where(math_compare.greater_equal(done, zero_after), 0.0 * value, value)

    return decay


def _check(decay_steps: float) -> None:
    if decay_steps <= 0:
        raise ValueError(f"decay_steps must be a positive number. Got {decay_steps}")


def _check_period(zero_after: float | None) -> None:
    if zero_after is not None and zero_after <= 0:
        raise ValueError(f"zero_after must be a positive number. Got {zero_after}")
