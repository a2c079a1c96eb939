"""Rows of variables of both kinds, set, added to and subtracted from."""

from __future__ import annotations

from typing import Any

import dataflow.ops.state.scatter as state_scatter
from dataflow.graph.apply_op import apply_op
from dataflow.training.optimizer_targets import is_resource_variable


def set_rows(variable: Any, indices: Any, values: Any, use_locking: bool = False) -> Any:
    """Sets rows."""
    if is_resource_variable(variable):
        return apply_op("ResourceScatterUpdate", variable.handle, indices, values)
    return state_scatter.scatter_update(variable, indices, values, use_locking=use_locking)


def add_rows(variable: Any, indices: Any, values: Any, use_locking: bool = False) -> Any:
    """Adds to rows."""
    if is_resource_variable(variable):
        return apply_op("ResourceScatterAdd", variable.handle, indices, values)
    return state_scatter.scatter_add(variable, indices, values, use_locking=use_locking)


def subtract_rows(variable: Any, indices: Any, values: Any, use_locking: bool = False) -> Any:
    """Subtracts from rows."""
    if is_resource_variable(variable):
        return apply_op("ResourceScatterSub", variable.handle, indices, values)
    return state_scatter.scatter_sub(variable, indices, values, use_locking=use_locking)
