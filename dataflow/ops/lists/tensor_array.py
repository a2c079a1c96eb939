"""The ops of tensor arrays: tensors written and read one by one, for loops to work on."""

from __future__ import annotations

import dataflow.ops.lists.tensor_array_gradients as gradients
from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.ops.basic.shape_parts import size_at, subshape, unknown_of_rank
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    UNKNOWN,
    merge,
    merge_dim,
    with_rank,
    with_rank_at_least,
)
from dataflow.values.shapes import TensorShape


def _array_shape(c: InferenceContext) -> list[TensorShape]:
    """The handle tells the elements' shape on where all of them are sure to have it."""
    with_rank(c.input(0), 0)
    shape: TensorShape = c.attr("element_shape")
    if shape.is_fully_defined() or c.attr("identical_element_shapes"):
        c.set_output_handle(0, ((c.attr("dtype"), shape),))
    return [HANDLE, SCALAR]


def _gradient_array_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    with_rank(c.input(1), 0)
    c.set_output_handle(0, c.input_handle(0))
    return [HANDLE, SCALAR]


def _shaped_gradient_array_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    with_rank(c.input(1), 0)
    count, held = size_at(c.input(2), 0), c.input_handle(0)
    if held:
        dtype, shape = held[0]
        # How many dimensions are prepended counts, and not their sizes.
        prepended = UNKNOWN if count is None else unknown_of_rank(count)
        c.set_output_handle(0, ((dtype, prepended.concatenate(shape)),))
    return [HANDLE, SCALAR]


def element_shape(c: InferenceContext) -> TensorShape:
    """Shape of the elements behind the first input, a handle, as far as it tells."""
    held = c.input_handle(0)
    shape: TensorShape = held[0][1] if held else UNKNOWN
    return shape


def _write_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    with_rank(c.input(1), 0)
    with_rank(c.input(3), 0)
    merge(element_shape(c), c.input(2))
    return SCALAR


def _read_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return element_shape(c)


def _gather_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    indices = with_rank(c.input(1), 1)
    with_rank(c.input(2), 0)
    known = element_shape(c) if c.input_handle(0) else c.attr("element_shape")
    return indices.concatenate(known)


def _scatter_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    indices = with_rank(c.input(1), 1)
    value = with_rank_at_least(c.input(2), 1)
    with_rank(c.input(3), 0)
    if value.dims_tuple and indices.dims_tuple:
        merge_dim(value.dims_tuple[0], indices.dims_tuple[0])
        merge(element_shape(c), subshape(value, 1))
    return SCALAR


def _concat_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    with_rank(c.input(1), 0)
    return [UNKNOWN, TensorShape.of((None,))]


def _split_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    with_rank(c.input(2), 1)
    with_rank(c.input(3), 0)
    return SCALAR


def _size_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    return SCALAR


def _close_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return []


define_op(
    "TensorArrayV3",
    inputs="size: int32",
    outputs="handle: resource, flow: float32",
    attrs=[
        "dtype: type",
        "element_shape: shape = unknown",
        "dynamic_size: bool = false",
        "clear_after_read: bool = true",
        "identical_element_shapes: bool = false",
        "tensor_array_name: string = ''",
    ],
    shape=_array_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A new array of tensors. The flow goes through all ops on the array, to order them.",
    stateful=True,
)

define_op(
    "TensorArrayGradV3",
    inputs="handle: resource, flow_in: float32",
    outputs="grad_handle: resource, flow_out: float32",
    attrs=["source: string"],
    shape=_gradient_array_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The array of an array's gradients, one for each `source`; what is written to it adds up.",
    stateful=True,
)

define_op(
    "TensorArrayGradWithShape",
    inputs="handle: resource, flow_in: float32, shape_to_prepend: int32",
    outputs="grad_handle: resource, flow_out: float32",
    attrs=["source: string"],
    shape=_shaped_gradient_array_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="TensorArrayGradV3 for elements that have additional outer dimensions.",
    stateful=True,
)

define_op(
    "TensorArrayWriteV3",
    inputs="handle: resource, index: int32, value: T, flow_in: float32",
    outputs="flow_out: float32",
    attrs=["T: type"],
    shape=_write_shape,
    gradient=gradients.write,
    doc="Puts an element into an array.",
    stateful=True,
)

define_op(
    "TensorArrayReadV3",
    inputs="handle: resource, index: int32, flow_in: float32",
    outputs="value: dtype",
    attrs=["dtype: type"],
    shape=_read_shape,
    gradient=gradients.read,
    doc="An element of an array.",
    stateful=True,
)

define_op(
    "TensorArrayGatherV3",
    inputs="handle: resource, indices: int32, flow_in: float32",
    outputs="value: dtype",
    attrs=["dtype: type", "element_shape: shape = unknown"],
    shape=_gather_shape,
    gradient=gradients.gather,
    doc="Elements of an array, by index, stacked along a new first dimension.",
    stateful=True,
)

define_op(
    "TensorArrayScatterV3",
    inputs="handle: resource, indices: int32, value: T, flow_in: float32",
    outputs="flow_out: float32",
    attrs=["T: type"],
    shape=_scatter_shape,
    gradient=gradients.scatter,
    doc="Puts the slices along the first dimension into an array, at these indices.",
    stateful=True,
)

define_op(
    "TensorArrayConcatV3",
    inputs="handle: resource, flow_in: float32",
    outputs="value: dtype, lengths: int64",
    attrs=["dtype: type", "element_shape_except0: shape = unknown"],
    shape=_concat_shape,
    gradient=gradients.concat,
    doc="All elements of an array joined along their first dimension, and their sizes there.",
    stateful=True,
)

define_op(
    "TensorArraySplitV3",
    inputs="handle: resource, value: T, lengths: int64, flow_in: float32",
    outputs="flow_out: float32",
    attrs=["T: type"],
    shape=_split_shape,
    gradient=gradients.split,
    doc="Puts parts of a tensor, of these sizes along its first dimension, into an array.",
    stateful=True,
)

define_op(
    "TensorArraySizeV3",
    inputs="handle: resource, flow_in: float32",
    outputs="size: int32",
    shape=_size_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Number of elements of an array.",
    stateful=True,
)

define_op(
    "TensorArrayCloseV3",
    inputs="handle: resource",
    shape=_close_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Frees an array; it cannot be used any more.",
    stateful=True,
)
