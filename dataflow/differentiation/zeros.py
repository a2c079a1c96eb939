"""The gradient of an output that the ys do not depend on, outside of loops: zeros."""

from __future__ import annotations

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow import predicates, primitives
from dataflow.functions.func_graph import WhileBodyFuncGraph
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def outside_loops(op: Operation, index: int) -> Tensor:
    """Zeros for one output of an operation; for that of a cond's Switch in the other branch."""
    value = op.outputs[index]
    context = op._get_control_flow_context()
    if not predicates.is_switch(op) or context is None:
        if value.dtype is dtypes.resource:
            return array_fill.zeros(single("VariableShape", value), dtype=zeros_dtype(value))
        if isinstance(value.graph, WhileBodyFuncGraph) and value.dtype is not dtypes.variant:
            return _of_loop_body(value)
        return array_fill.zeros_like(value, optimize=False)
    switched = primitives.switch(op.inputs[0], context.pred)[1 - context.branch]
    # What has no data input still has to wait until it is known that this branch is taken.
    pivot = identity(switched)
    if value.dtype is dtypes.resource:
        with scopes.control_dependencies([pivot]):
            return array_fill.zeros(single("VariableShape", switched), dtype=zeros_dtype(value))
    sizes = array_shape.shape_internal(switched, optimize=False)
    with scopes.control_dependencies([pivot]):
        return array_fill.zeros(sizes, dtype=value.dtype)


def _of_loop_body(value: Tensor) -> Tensor:
    """Zeros that do not need the value: the backward loop would have to save it."""
    if value.shape.is_fully_defined():
        return constant(0, shape=value.shape, dtype=value.dtype)
    return array_fill.zeros(array_shape.shape_internal(value, optimize=False), value.dtype)


def has_zeros(tensor: Tensor) -> bool:
    """False for a handle of which building does not know what is behind it."""
    data = tensor.handle_data
    return tensor.dtype is not dtypes.resource or (data is not None and len(data) == 1)


def zeros_dtype(tensor: Tensor) -> DType:
    """The element type of a tensor, or of the variable behind a handle.

    Raises:
      ValueError: Building does not know what is behind the handle.
    """
    if tensor.dtype is not dtypes.resource:
        return tensor.dtype
    if not has_zeros(tensor):
        raise ValueError(
            "Internal error: Tried to take gradients (or similar) of a variable without handle "
            f"data:\n{tensor}"
        )
    ((dtype, _),) = tensor.handle_data or ()
    return dtype


def zeros_of_variable(handle: Tensor) -> Tensor:
    """Zeros in the shape of the variable behind a handle.

    Raises:
      ValueError: Building does not know what is behind the handle.
    """
    dtype = zeros_dtype(handle)
    ((_, shape),) = handle.handle_data or ()
    known = shape.is_fully_defined()
    size = constant(shape.as_list(), dtypes.int32) if known else single("VariableShape", handle)
    return array_fill.zeros(size, dtype=dtype)
