"""Rates for each layer, and AdaGrad that may leave its accumulators: LARS, RegAdagrad."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import dataflow.ops.math.compare as math_compare
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.norm import norm
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class LARSOptimizer(Optimizer):
    """Momentum whose rate is `eeta * |w| / (|gradient| + weight_decay * |w| + epsilon)` times.

    You, Gitman, Ginsburg, Large batch training of convolutional networks, 2017.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        """Makes an optimizer.

        Args:
          learning_rate: The rate.
          momentum: Of the momentum.
          weight_decay: See above.
          eeta: See above.
          epsilon: See above.
          name: Name of the scope of the operations, and of the slots.
          skip_list: Variables whose name has one of these have plain momentum.
          use_nesterov: Whether the momentum is Nesterov's.

        Raises:
          ValueError: The momentum is negative.
        """
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(False, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list, self._use_nesterov = skip_list, use_nesterov

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _prepare(self) -> None:
        self._rate: Any = self._call_if_callable(self._learning_rate)

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """The rate of a variable, and its gradient with the weights' decay."""
        rate: Any = self._rate
        if self._skip_list is not None and any(name in var.name for name in self._skip_list):
            return rate, grad
        weights, change = norm(var), norm(grad)
        both: Any = math_compare.logical_and(
            math_compare.greater(weights, 0), math_compare.greater(change, 0)
        )
        divisor: Any = change + self._weight_decay * weights + self._epsilon
        ratio: Any = self._eeta * weights / divisor
        trust = where(both, ratio, ratio * 0 + 1.0)
        return rate * where(both, trust, cast(both, ratio.dtype) * 0 + 1.0), (
            grad + self._weight_decay * var
        )

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        if indices is not None:
            rate, momentum = as_type_of(var, self._rate), as_type_of(var, self._momentum)
            return self._momentum_step(var, [rate, grad, indices, momentum])
        rate, grad = self.compute_lr(grad, var)
        # The momentum is of steps, not of gradients: what a rate was stays in it.
        step: Any = grad * as_type_of(var, rate)
        return self._momentum_step(
            var, [as_type_of(var, 1.0), step, None, as_type_of(var, self._momentum)]
        )

    def _momentum_step(self, var: Any, inputs: Sequence[Any]) -> Operation:
        return self._self_apply(
            "Momentum", var, ["momentum"], inputs, use_nesterov=self._use_nesterov
        )


class RegAdagradOptimizer(AdagradOptimizer):
    """AdaGrad whose accumulators stay as they are for steps that a regularizer asks for."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        """Takes what AdagradOptimizer does."""
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._should_update_slots = True

    @contextlib.contextmanager
    def avoid_slot_update(self) -> Iterator[None]:
        """Steps that are made here leave the accumulators."""
        before, self._should_update_slots = self._should_update_slots, False
        try:
            yield
        finally:
            self._should_update_slots = before

    def _self_apply(
        self, rule: str, var: Any, slots: Sequence[str], inputs: Sequence[Any], **attrs: Any
    ) -> Operation:
        attrs["update_slots"] = self._should_update_slots
        return super()._self_apply(rule, var, slots, inputs, **attrs)
