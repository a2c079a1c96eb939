"""FTRL-proximal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.math.binary as math_binary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of
from dataflow.values import dtypes


class FtrlOptimizer(Optimizer):
    """FTRL-proximal (McMahan et al., 2013), with an optional L2 penalty on the magnitude.

    Args:
      learning_rate: A number or constant tensor.
      learning_rate_power: How the learning rate falls, at most zero; zero keeps it.
      initial_accumulator_value: Where the sums of squared gradients start; at least zero.
      l1_regularization_strength: At least zero.
      l2_regularization_strength: At least zero; stabilises.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slots.
      accum_name: Name of the slot of squared gradients; `name` if None.
      linear_name: Name of the slot of the linear term; `name` if None.
      l2_shrinkage_regularization_strength: At least zero; adds a penalty on the magnitude, for
        sparse gradients of their own rows.
      beta: The paper's beta; 0 if None.

    Raises:
      ValueError: An argument is out of bounds.
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        for argument, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{argument} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name
        self._learning_rate_tensor: Any = None
        self._learning_rate_power_tensor: Any = None
        self._l1_regularization_strength_tensor: Any = None
        self._adjusted_l2_regularization_strength_tensor: Any = None
        self._beta_tensor: Any = None
        self._l2_shrinkage_regularization_strength_tensor: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        def initial_accumulator(
            shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None
        ) -> Any:
            ones: Any = array_fill.ones(shape=shape, dtype=dtype)
            return ones * self._initial_accumulator_value

        for v in var_list:
            self._get_or_make_slot_with_initializer(
                v, initial_accumulator, v.shape, v.dtype, "accum", self._accum_name or self._name
            )
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        self._l1_regularization_strength_tensor = convert_to_tensor(
            self._l1_regularization_strength, name="l1_regularization_strength"
        )
        # The ops know no beta: it is a part of the L2 strength.
        floor: Any = math_binary.maximum(self._learning_rate, 1e-36)
        self._adjusted_l2_regularization_strength_tensor = convert_to_tensor(
            self._l2_regularization_strength + self._beta / (2.0 * floor),
            name="adjusted_l2_regularization_strength",
        )
        self._beta_tensor = convert_to_tensor(self._beta, name="beta")
        self._l2_shrinkage_regularization_strength_tensor = convert_to_tensor(
            self._l2_shrinkage_regularization_strength,
            name="l2_shrinkage_regularization_strength",
        )
        self._learning_rate_power_tensor = convert_to_tensor(
            self._learning_rate_power, name="learning_rate_power"
        )

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rule, shrinkage = "Ftrl", []
        if self._l2_shrinkage_regularization_strength > 0.0:
            rule, shrinkage = "FtrlV2", [self._l2_shrinkage_regularization_strength_tensor]
        scalars = [
            as_type_of(var, value)
            for value in (
                self._learning_rate_tensor,
                self._l1_regularization_strength_tensor,
                self._adjusted_l2_regularization_strength_tensor,
                *shrinkage,
                self._learning_rate_power_tensor,
            )
        ]
        return self._self_apply(rule, var, ["accum", "linear"], [grad, indices, *scalars])
