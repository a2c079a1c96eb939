"""Gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class MomentumOptimizer(Optimizer):
    """Steps along a decaying sum of the gradients.

    `accumulation = momentum * accumulation + gradient; variable -= learning_rate * accumulation`.
    A sparse gradient changes both for its own rows only.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one.
      momentum: How much of the sum stays; of the same kinds.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slot.
      use_nesterov: Looks ahead (Sutskever et al., 2013).
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Any = None
        self._momentum_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")
        momentum = self._call_if_callable(self._momentum)
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rate = as_type_of(var, self._learning_rate_tensor)
        momentum = as_type_of(var, self._momentum_tensor)
        return self._self_apply(
            "Momentum",
            var,
            ["momentum"],
            [rate, grad, indices, momentum],
            use_nesterov=self._use_nesterov,
        )
