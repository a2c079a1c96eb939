"""Assigns to variables, and to those that are cut into parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.ops.array.split import split
from dataflow.ops.basic.grouping import group
from dataflow.ops.state.reference import assign


def determine_partitioned_axis(partitioned_variable: Any) -> int:
    """The axis along which a variable is cut.

    Raises:
      ValueError: A part is as long as the whole along all axes, or shorter along several.
    """
    whole = partitioned_variable.get_shape().as_list()
    axis = 0
    for part in partitioned_variable:
        (shorter,) = np.nonzero(np.less(part.get_shape().as_list(), whole))
        if len(shorter) != 1:
            raise ValueError(f"Number of partitioned axes {len(shorter)} not equal to 1")
        axis = int(shorter[0])
    return axis


def variable_assign(var: Any, new_value: Any) -> Any:
    """Assigns by an operation with the variable's name."""
    return assign(var, new_value, name=f"{var.op.name}_assign")


def partitioned_variable_assign(partitioned_var: Any, new_value: Any) -> Any:
    """An operation that assigns to each part of a variable what belongs there of a whole value."""
    parts = list(partitioned_var)
    axis = 0 if len(parts) == 1 else determine_partitioned_axis(partitioned_var)
    sizes = [part.get_shape().as_list()[axis] for part in parts]
    values = split(new_value, sizes, axis=axis)
    assigned = [variable_assign(part, value) for part, value in zip(parts, values, strict=True)]
    return group(*assigned, name=f"{partitioned_var.name}_group_assign")
