"""Moving averages of variables and tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import dataflow.ops.basic.grouping as grouping
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.division as math_division
import dataflow.ops.math.power as math_power
import dataflow.ops.state.reference as state_ops
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.cast import cast
from dataflow.training import slot_creator
from dataflow.values import dtypes
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope
from dataflow.variables.variable import (
    Variable,
    global_variables,
    moving_average_variables,
    trainable_variables,
)

_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


class ExponentialMovingAverage:
    """Keeps averages that decay: `average = decay * average + (1 - decay) * variable`.

    Args:
      decay: The decay, somewhat below one.
      num_updates: Number of updates so far, a number or tensor: lowers the decay at first, to
        `min(decay, (1 + num_updates) / (10 + num_updates))`.
      zero_debias: Corrects the averages of tensors for having started at zero.
      name: Name of the scope of the operations, and of the averages within what they are of.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Operation:
        """An operation that updates averages, which are made if there are none yet.

        An average starts at the initial value of its variable, that of a tensor at zero.

        Args:
          var_list: Variables and tensors; the trainable variables if None.

        Raises:
          TypeError: One is not of a floating type.
        """
        items = trainable_variables() if var_list is None else list(var_list)
        debiased: set[Any] = set()
        for item in items:
            if item.dtype.base_dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {item.name}")
            if item.ref() in self._averages:
                continue
            with scopes.init_scope():
                average = self._make_average(item)
                if self._zero_debias and not isinstance(item, Variable):
                    debiased.add(average.ref())
            self._averages[item.ref()] = average
        with scopes.name_scope(self.name) as scope:
            decay = convert_to_tensor(self._decay, dtype=dtypes.float32, name="decay")
            if self._num_updates is not None:
                count = cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = math_binary.minimum(decay, (1.0 + count) / (10.0 + count))
            updates = []
            for item in items:
                average = self._averages[item.ref()]
                updates.append(
                    assign_moving_average(average, item, decay, average.ref() in debiased)
                )
            return grouping.group(*updates, name=scope)

    def _make_average(self, item: Any) -> Any:
        if isinstance(item, Variable):
            with scopes.device(item.device):
                start = cond(item.is_initialized(), item.read_value, lambda: item.initial_value)
            average = slot_creator.create_slot(item, start, self.name)
            scopes.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, item)
            return average
        is_variable = item.op.type in ("Variable", "VariableV2", "VarHandleOp")
        return slot_creator.create_zeros_slot(item, self.name, colocate_with_primary=is_variable)

    def average(self, var: Any) -> Any:
        """The variable that holds the average of a variable or tensor, or None."""
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """The name of the variable that holds the average of `var`, or will hold it."""
        if var.ref() in self._averages:
            return str(self._averages[var.ref()].op.name)
        name = var.name[: -len(":0")]
        return scopes.get_default_graph().unique_name(f"{name}/{self.name}", mark_as_used=False)

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Any] | None = None
    ) -> dict[str, Any]:
        """Which variable to restore under which name, so that averages take the variables' places.

        Args:
          moving_avg_variables: The variables that have averages; the trainable ones and those in
            the collection of such if None. All others are restored under their own names.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = {v.ref(): v for v in moving_avg_variables}
        names = {self.average_name(v): v for v in averaged.values()}
        taken = {v.name for v in averaged.values()}
        for variable in global_variables():
            if variable.name not in taken and variable.op.name not in names:
                names[variable.op.name] = variable
        return names


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """An update of a moving average: `variable -= (1 - decay) * (variable - value)`.

    Args:
      variable: The variable that holds the average.
      value: A tensor of its shape.
      decay: The decay: a number or float tensor.
      zero_debias: Corrects for the average having started at zero (Kingma and Ba, 2015); keeps
        two more variables for that, in the name scope of `variable`.
      name: Name of the operation.

    Returns:
      The average after the update.
    """
    with scopes.name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        rest: Any = convert_to_tensor(1.0 - decay, name="decay")
        if rest.dtype != variable.dtype.base_dtype:
            rest = cast(rest, variable.dtype.base_dtype)
        if zero_debias:
            return _debiased(variable, value, rest)
        return state_ops.assign_sub(variable, (variable - value) * rest, name=scope)


def weighted_moving_average(
    value: Any,
    decay: Any,
    weight: Any,
    truediv: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Any:
    """The moving average of `value * weight` over that of `weight`, both kept and updated here.

    Args:
      value: A float tensor.
      decay: The decay: a number or float tensor.
      weight: A tensor whose shape fits that of `value`.
      truediv: Divides as floats do; else as the types have it.
      collections: Of the two variables; `GLOBAL_VARIABLES` if None.
      name: Name of the scope.

    Returns:
      The average after the update.
    """
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        updated = [
            assign_moving_average(
                get_variable(
                    of,
                    shape=part.get_shape(),
                    dtype=part.dtype,
                    initializer=Zeros(),
                    trainable=False,
                    collections=collections,
                ),
                current,
                decay,
                zero_debias=False,
            )
            for of, part, current in (
                ("value_x_weight", value, value * weight),
                ("weight", weight, weight),
            )
        ]
        divide = math_division.truediv if truediv else math_division.div
        return divide(updated[0], updated[1], name=scope.name)


def _debiased(unbiased: Any, value: Any, rest: Any) -> Any:
    """Updates an average that starts at zero, and gives `unbiased` its value without that bias."""
    with (
        variable_scope(unbiased.name[: -len(":0")], values=[unbiased, value, rest]),
        scopes.colocate_with(unbiased),
    ):
        biased = get_variable(
            _unused_name("biased"),
            initializer=Zeros(),
            shape=unbiased.get_shape(),
            dtype=unbiased.dtype,
            trainable=False,
        )
        local_step = get_variable(
            _unused_name("local_step"),
            shape=[],
            dtype=unbiased.dtype,
            initializer=Zeros(),
            trainable=False,
        )
    update = state_ops.assign_sub(biased, (biased - value) * rest)
    step = local_step.assign_add(1)
    bias: Any = math_power.pow(1.0 - rest, step)
    scope = scopes.get_default_graph().get_name_scope()
    return state_ops.assign(unbiased, update / (1 - bias), name=f"{scope}/")


def _unused_name(name: str) -> str:
    """A name within the variable scope that no variable has, or the name itself if reusing."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in scope.global_variables()}
    candidate, number = name, 0
    while f"{scope.name}/{candidate}" in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
