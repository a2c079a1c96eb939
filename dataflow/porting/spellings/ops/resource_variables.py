"""tensorflow.python.ops.resource_variable_ops: variables behind handles, and what these are."""

from __future__ import annotations

from typing import Any

from dataflow.porting.spellings.raw import op
from dataflow.variables.resource_variable_base import BaseResourceVariable, UnreadVariable
from dataflow.variables.variable import Variable


def is_resource_variable(var: Any) -> bool:
    """Whether a variable is behind a handle."""
    return isinstance(var, BaseResourceVariable) or hasattr(var, "_should_act_as_resource_variable")


def variable_handle_from_shape_and_dtype(
    shape: Any,
    dtype: Any,
    shared_name: str,
    name: str | None,
    graph_mode: bool,
    extra_handle_data: Any = None,
) -> Any:
    """The handle of a variable.

    Args:
      shape: Its shape.
      dtype: Its element type.
      shared_name: The name under which it is kept.
      name: Of the node.
      graph_mode: Accepted: there is no other.
      extra_handle_data: A handle of the same, whose shape and type it has.
    """
    return op("VarHandleOp")(
        shape=shape, dtype=dtype, shared_name=shared_name, name=name, container=""
    )


_UnreadVariable = UnreadVariable


def get_resource_handle_data(graph_op: Any) -> Any:
    """What is known of the variable, queue or table behind a handle."""
    return graph_op.handle_data


def eager_safe_variable_handle(
    initial_value: Any, dtype: Any, shape: Any, shared_name: str, name: str, graph_mode: bool
) -> Any:
    """The handle of a variable with the shape and the type of an initial value."""
    return variable_handle_from_shape_and_dtype(
        initial_value.shape if shape is None else shape,
        dtype or initial_value.dtype.base_dtype,
        shared_name,
        name,
        graph_mode,
    )


def _to_proto_fn(v: Any, export_scope: str | None = None) -> Any:
    """The message of a variable, for a collection of the program's own."""
    return v.to_proto(export_scope=export_scope)


def _from_proto_fn(v: Any, import_scope: str | None = None) -> Any:
    """The variable that a message of such a collection describes, in the default graph."""
    return Variable.from_proto(v, import_scope=import_scope)
