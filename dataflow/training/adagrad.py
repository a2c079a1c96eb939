"""Adagrad."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of
from dataflow.variables.initializers import Constant


class AdagradOptimizer(Optimizer):
    """Adagrad (Duchi et al., 2011).

    `accumulator += gradient**2; variable -= learning_rate * gradient / sqrt(accumulator)`.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one.
      initial_accumulator_value: Where the accumulators start.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slot.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for v in var_list:
            dtype, shape = v.dtype.base_dtype, v.get_shape()
            init: Any = Constant(self._initial_accumulator_value, dtype=dtype)
            if not shape.is_fully_defined():
                init = self._init_constant_op(v, dtype)
            self._get_or_make_slot_with_initializer(
                v, init, shape, dtype, "accumulator", self._name
            )

    def _init_constant_op(self, v: Any, dtype: Any) -> Callable[[], Any]:
        """Makes the accumulator's value for a variable whose shape is not known."""

        def init() -> Any:
            value = single("Fill", array_shape.shape(v), self._initial_accumulator_value)
            return cast(value, dtype)

        return init

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rate = as_type_of(var, self._learning_rate_tensor)
        return self._self_apply("Adagrad", var, ["accumulator"], [rate, grad, indices])
