"""Resource variables: the ops that hold a value behind a handle, read it and assign to it."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.shape as array_shape
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import size_at, subshape
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    UNKNOWN,
    merge,
    no_outputs,
    scalar,
    with_rank,
    with_rank_at_least,
)
from dataflow.schema.summaries import type_name
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def held_shape(c: InferenceContext, dtype_attr: str = "dtype") -> TensorShape:
    """Shape of the variable behind the first input, as far as known.

    Raises:
      ValueError: The variable has another element type than attr `dtype_attr`.
    """
    held = c.input_handle(0)
    if not held:
        return UNKNOWN
    dtype, shape = held[0]
    asked = c.attr(dtype_attr)
    if dtype != asked:
        raise ValueError(
            "Trying to read variable with wrong dtype. "
            f"Expected {type_name(dtype)} got {type_name(asked)}"
        )
    known: TensorShape = shape
    return known


def _handle_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, ((c.attr("dtype"), c.attr("shape")),))
    return SCALAR


def _read_shape(c: InferenceContext) -> TensorShape:
    return held_shape(c)


def _check_assigned(c: InferenceContext) -> list[TensorShape]:
    merge(held_shape(c), c.input(1))
    return []


def _shape_vector(c: InferenceContext) -> TensorShape:
    held = c.input_handle(0)
    return TensorShape.of((held[0][1].rank if held else None,))


def _counter_shape(c: InferenceContext) -> TensorShape:
    return with_rank(held_shape(c, "T"), 0)


def _gather_shape(c: InferenceContext) -> TensorShape:
    batch_dims: int = c.attr("batch_dims")
    if batch_dims < 0:
        raise ValueError(f"batch_dims is negative ({batch_dims})")
    params = with_rank_at_least(held_shape(c), batch_dims + 1)
    indices = with_rank_at_least(c.input(1), batch_dims)
    outer, inner = subshape(params, 0, batch_dims), subshape(params, batch_dims + 1)
    return outer.concatenate(subshape(indices, batch_dims)).concatenate(inner)


def _gather_nd_shape(c: InferenceContext) -> TensorShape:
    params, indices = held_shape(c), with_rank_at_least(c.input(1), 1)
    depth = size_at(indices, -1)
    if params.rank is None or depth is None:
        return UNKNOWN
    if depth > params.rank:
        raise ValueError(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{_text(indices)} and params shape: {_text(params)}"
        )
    return subshape(indices, 0, -1).concatenate(subshape(params, depth))


def _text(shape: TensorShape) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape.dims_tuple or ()) + "]"


def _read_gradient(op: Operation, grad: Any) -> Any:
    return grad


def _gather_gradient(op: Operation, grad: Any) -> Any:
    handle, indices = op.inputs
    params_shape: Any = variable_shape(handle)
    size = array_shape.expand_dims(array_shape.size(indices), 0)
    values_shape = array_concat.concat([size, params_shape[1:]], 0)
    values = array_shape.reshape(grad, values_shape)
    return [IndexedSlices(values, array_shape.reshape(indices, size), params_shape), None]


def _gather_nd_gradient(op: Operation, grad: Any) -> Any:
    handle, indices = op.inputs
    shape = single("VariableShape", handle, out_type=indices.dtype)
    dims = indices.shape.dims_tuple
    if dims is not None and len(dims) == 2 and dims[-1] == 1:
        return [IndexedSlices(grad, array_shape.squeeze(indices, axis=-1), shape), None]
    return [array_scatter.scatter_nd(indices, grad, shape), None]


define_op(
    "VarHandleOp",
    outputs="resource: resource",
    attrs=[
        "container: string = ''",
        "shared_name: string = ''",
        "debug_name: string = ''",
        "dtype: type",
        "shape: shape",
        "allowed_devices: list(string) = []",
    ],
    shape=_handle_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A handle to a variable, whose value is kept from step to step.",
    stateful=True,
)

define_op(
    "ReadVariableOp",
    inputs="resource: resource",
    outputs="value: dtype",
    attrs=["dtype: type"],
    shape=_read_shape,
    gradient=_read_gradient,
    doc="The value of the variable behind a handle.",
    stateful=True,
)

define_op(
    "AssignVariableOp",
    inputs="resource: resource, value: dtype",
    attrs=["dtype: type", "validate_shape: bool = false"],
    shape=_check_assigned,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives the variable behind a handle a value.",
    stateful=True,
)

for _name, _doc in (
    ("AssignAddVariableOp", "Adds a value to the variable behind a handle."),
    ("AssignSubVariableOp", "Subtracts a value from the variable behind a handle."),
):
    define_op(
        _name,
        inputs="resource: resource, value: dtype",
        attrs=["dtype: type"],
        shape=_check_assigned,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "VarIsInitializedOp",
    inputs="resource: resource",
    outputs="is_initialized: bool",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether the variable behind a handle holds a value.",
    stateful=True,
)

define_op(
    "VariableShape",
    inputs="input: resource",
    outputs="output: out_type",
    attrs=["out_type: {int32, int64} = int32"],
    shape=_shape_vector,
    gradient=NOT_DIFFERENTIABLE,
    doc="Shape of the variable behind a handle.",
    stateful=True,
)

define_op(
    "DestroyResourceOp",
    inputs="resource: resource",
    attrs=["ignore_lookup_error: bool = true"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Forgets what is behind a handle.",
    stateful=True,
)

define_op(
    "DisableCopyOnRead",
    inputs="resource: resource",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Lets reads of a variable share its memory; here they always do.",
    stateful=True,
)

define_op(
    "ResourceCountUpTo",
    inputs="resource: resource",
    outputs="output: T",
    attrs=["limit: int", "T: {int32, int64}"],
    shape=_counter_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The value of a counter, which is then one higher; an error once the limit is reached.",
    stateful=True,
)

define_op(
    "ResourceGather",
    inputs="resource: resource, indices: Tindices",
    outputs="output: dtype",
    attrs=[
        "batch_dims: int = 0",
        "validate_indices: bool = true",
        "dtype: type",
        "Tindices: {int32, int64}",
    ],
    shape=_gather_shape,
    gradient=_gather_gradient,
    doc="Rows, by index, of the variable behind a handle.",
    stateful=True,
)

define_op(
    "ResourceGatherNd",
    inputs="resource: resource, indices: Tindices",
    outputs="output: dtype",
    attrs=["dtype: type", "Tindices: {int32, int64}"],
    shape=_gather_nd_shape,
    gradient=_gather_nd_gradient,
    doc="Slices, by index vectors, of the variable behind a handle.",
    stateful=True,
)


def variable_shape(handle: Tensor, out_type: Any = dtypes.int32) -> Tensor:
    """Shape of the variable behind a handle: a constant where building knows it."""
    held = handle.handle_data
    if held and held[0][1].is_fully_defined():
        return constant(held[0][1].as_list(), dtype=out_type)
    return single("VariableShape", handle, out_type=out_type)
