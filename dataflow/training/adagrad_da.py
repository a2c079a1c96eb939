"""Adagrad with dual averaging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging (Duchi et al., 2011), for sparse linear models.

    Variables follow from the sums of their gradients and of the squares of these, so that
    regularization reaches rows whenever they are next seen.

    Args:
      learning_rate: A number or scalar tensor.
      global_step: The number of steps done: an int64 variable or tensor.
      initial_gradient_squared_accumulator_value: Where the sums of squares start.
      l1_regularization_strength: At least zero.
      l2_regularization_strength: At least zero.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slots.

    Raises:
      ValueError: `initial_gradient_squared_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value
        )
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._learning_rate_tensor: Any = None
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            shape, dtype = v.get_shape(), v.dtype.base_dtype
            with scopes.colocate_with(v):
                gradients = constant(0.0, shape=shape, dtype=dtype)
                squares = constant(
                    self._initial_gradient_squared_accumulator_value, shape=shape, dtype=dtype
                )
            self._get_or_make_slot(v, gradients, "gradient_accumulator", self._name)
            self._get_or_make_slot(v, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        # A copy for each worker spares the device that holds the global step.
        with scopes.colocate_with(self._learning_rate_tensor):
            self._global_step_on_worker = identity(self._global_step) + 1

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        with scopes.device(var.device):
            global_step = identity(self._global_step_on_worker)
        scalars = [
            as_type_of(var, value)
            for value in (
                self._learning_rate_tensor,
                self._l1_regularization_strength,
                self._l2_regularization_strength,
            )
        ]
        slots = ["gradient_accumulator", "gradient_squared_accumulator"]
        return self._self_apply("AdagradDA", var, slots, [grad, indices, *scalars, global_step])
