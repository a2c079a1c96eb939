"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class AdadeltaOptimizer(Optimizer):
    """Adadelta (Zeiler, 2012).

    `accum` and `accum_update` are moving averages of the squares of gradient and update;
    `variable -= learning_rate * sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * gradient`.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one; the
        paper has 1.0.
      rho: Decay of the averages; of the same kinds.
      epsilon: Keeps the divisor from zero and the first steps from vanishing; of the same kinds.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slots.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._rho_t: Any = None
        self._epsilon_t: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._lr)
        rho = self._call_if_callable(self._rho)
        epsilon = self._call_if_callable(self._epsilon)
        self._lr_t = convert_to_tensor(rate, name="lr")
        self._rho_t = convert_to_tensor(rho, name="rho")
        self._epsilon_t = convert_to_tensor(epsilon, name="epsilon")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        scalars = [as_type_of(var, x) for x in (self._lr_t, self._rho_t, self._epsilon_t)]
        slots = ["accum", "accum_update"]
        return self._self_apply("Adadelta", var, slots, [*scalars, grad, indices])
