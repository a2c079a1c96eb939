"""tensorflow.python.ops.state_ops: the nodes that variables are made of."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.state.reference import variable_op as variable_op_v2
from dataflow.porting.spellings.raw import op
from dataflow.values.shapes import unknown_shape

__all__ = ["init_variable", "variable_op", "variable_op_v2"]


def variable_op(
    shape: Any,
    dtype: Any,
    name: str | None = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Any:
    """A reference to a variable, of the old op.

    Args:
      shape: Its shape.
      dtype: Its element type.
      name: Of the node.
      set_shape: Whether the node says the shape.
      container: Where the variable is kept.
      shared_name: Its name there.
    """
    made = op("Variable")(
        shape=shape if set_shape else unknown_shape(),
        dtype=dtype,
        name=name,
        container=container,
        shared_name=shared_name,
    )
    if set_shape:
        made.set_shape(shape)
    return made


def init_variable(v: Any, init: Any, name: str = "init") -> Tensor:
    """Assigns a value, or what a function of shape and dtype makes, to a reference."""
    with name_scope(None, v.op.name + "/", [v, init]), name_scope(name) as scope, colocate_with(v):
        if callable(init):
            value = convert_to_tensor(
                init(v.get_shape().as_list(), v.dtype.base_dtype), name="value"
            )
        else:
            value = convert_to_tensor(init, name="init")
        assigned: Tensor = op("Assign")(ref=v, value=value, name=scope)
        return assigned
