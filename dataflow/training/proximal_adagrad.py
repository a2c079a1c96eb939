"""Forward-backward splitting with Adagrad's learning rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class ProximalAdagradOptimizer(Optimizer):
    """A step of Adagrad, then shrinking by l1 and l2 (Duchi and Singer, 2009).

    Args:
      learning_rate: A number or scalar tensor.
      initial_accumulator_value: Where the sums of squared gradients start.
      l1_regularization_strength: At least zero.
      l2_regularization_strength: At least zero.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slot.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l1_regularization_strength_tensor: Any = None
        self._l2_regularization_strength_tensor: Any = None
        self._learning_rate_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            with scopes.colocate_with(v):
                start = constant(
                    self._initial_accumulator_value,
                    shape=v.get_shape(),
                    dtype=v.dtype.base_dtype,
                )
            self._get_or_make_slot(v, start, "accumulator", self._name)

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
        return self._self_apply("ProximalAdagrad", var, ["accumulator"], [*scalars, grad, indices])
