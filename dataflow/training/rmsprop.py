"""RMSProp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of
from dataflow.variables.initializers import Ones


class RMSPropOptimizer(Optimizer):
    """RMSProp (Tieleman and Hinton, 2012), with plain momentum.

    `rms` is a moving average of the squared gradient;
    `mom = momentum * mom + learning_rate * gradient / sqrt(rms + epsilon); variable -= mom`.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one.
      decay: Decay of the average; of the same kinds.
      momentum: How much of the last step stays; of the same kinds.
      epsilon: Keeps the divisor from zero; of the same kinds.
      use_locking: Whether updates of reference variables exclude each other.
      centered: Divides by the estimated variance of the gradient, not by its mean square.
      name: Name of the scope of the operations, and of the slots.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._learning_rate_tensor: Any = None
        self._decay_tensor: Any = None
        self._momentum_tensor: Any = None
        self._epsilon_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype, shape = v.dtype.base_dtype, v.get_shape()
            ones: Any = Ones(dtype) if shape.is_fully_defined() else array_fill.ones_like(v)
            self._get_or_make_slot_with_initializer(v, ones, shape, dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        decay = self._call_if_callable(self._decay)
        momentum = self._call_if_callable(self._momentum)
        epsilon = self._call_if_callable(self._epsilon)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")
        self._decay_tensor = convert_to_tensor(decay, name="decay")
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")
        self._epsilon_tensor = convert_to_tensor(epsilon, name="epsilon")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        scalars = [
            as_type_of(var, value)
            for value in (
                self._learning_rate_tensor,
                self._decay_tensor,
                self._momentum_tensor,
                self._epsilon_tensor,
            )
        ]
        if self._centered:
            slots = ["mg", "rms", "momentum"]
            return self._self_apply("CenteredRMSProp", var, slots, [*scalars, grad, indices])
        return self._self_apply("RMSProp", var, ["rms", "momentum"], [*scalars, grad, indices])
