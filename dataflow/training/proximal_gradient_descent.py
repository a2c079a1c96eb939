"""Forward-backward splitting."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class ProximalGradientDescentOptimizer(Optimizer):
    """A step of gradient descent, then shrinking by l1 and l2 (Duchi and Singer, 2009).

    Args:
      learning_rate: A number or scalar tensor.
      l1_regularization_strength: At least zero.
      l2_regularization_strength: At least zero.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations.
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._learning_rate_tensor: Any = None
        self._l1_regularization_strength_tensor: Any = None
        self._l2_regularization_strength_tensor: Any = None

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        self._l1_regularization_strength_tensor = convert_to_tensor(
            self._l1_regularization_strength, name="l1_regularization_strength"
        )
        self._l2_regularization_strength_tensor = convert_to_tensor(
            self._l2_regularization_strength, name="l2_regularization_strength"
        )

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        scalars = [
            as_type_of(var, value)
            for value in (
                self._learning_rate_tensor,
                self._l1_regularization_strength_tensor,
                self._l2_regularization_strength_tensor,
            )
        ]
        return self._self_apply("ProximalGradientDescent", var, (), [*scalars, grad, indices])
