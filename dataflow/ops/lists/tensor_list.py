"""The ops of lists of tensors, which TensorFlow 2 keeps arrays and the values of loops in."""

from __future__ import annotations

import dataflow.ops.lists.tensor_list_gradients as gradients
import dataflow.ops.lists.tensor_list_shapes as shapes
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

_DTYPE = "element_dtype: type"
_SHAPE_TYPE = "shape_type: {int32, int64}"

define_op(
    "EmptyTensorList",
    inputs="element_shape: shape_type, max_num_elements: int32",
    outputs="handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.new_list,
    gradient=MISSING_GRADIENT,
    doc="An empty list; a negative `max_num_elements` sets no bound on its size.",
)

define_op(
    "TensorListReserve",
    inputs="element_shape: shape_type, num_elements: int32",
    outputs="handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.new_list,
    gradient=MISSING_GRADIENT,
    doc="A list of elements that are not set yet.",
)

define_op(
    "TensorListPushBack",
    inputs="input_handle: variant, tensor: element_dtype",
    outputs="output_handle: variant",
    attrs=[_DTYPE],
    shape=shapes.push_back,
    gradient=gradients.push_back,
    doc="The list with one more element.",
)

define_op(
    "TensorListPushBackBatch",
    inputs="input_handles: variant, tensor: element_dtype",
    outputs="output_handles: variant",
    attrs=[_DTYPE],
    shape=shapes.push_back_batch,
    gradient=NOT_DIFFERENTIABLE,
    doc="Lists with one more element each, the slices of a tensor along its first dimension.",
)

define_op(
    "TensorListPopBack",
    inputs="input_handle: variant, element_shape: int32",
    outputs="output_handle: variant, tensor: element_dtype",
    attrs=[_DTYPE],
    shape=shapes.pop_back,
    gradient=gradients.pop_back,
    doc="The list without its last element, and that element.",
)

define_op(
    "TensorListLength",
    inputs="input_handle: variant",
    outputs="length: int32",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Number of elements of a list.",
)

define_op(
    "TensorListElementShape",
    inputs="input_handle: variant",
    outputs="element_shape: shape_type",
    attrs=[_SHAPE_TYPE],
    shape=shapes.element_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Shape of a list's elements, -1 for what is unknown of it.",
)

define_op(
    "TensorListGetItem",
    inputs="input_handle: variant, index: int32, element_shape: Tshape",
    outputs="item: element_dtype",
    attrs=[_DTYPE, "Tshape: {int32, int64} = int32"],
    shape=shapes.get_item,
    gradient=gradients.get_item,
    doc="An element of a list; zeros where it is not set.",
)

define_op(
    "TensorListSetItem",
    inputs="input_handle: variant, index: int32, item: element_dtype",
    outputs="output_handle: variant",
    attrs=[_DTYPE, "resize_if_index_out_of_bounds: bool = false"],
    shape=shapes.set_item,
    gradient=gradients.set_item,
    doc="The list with another element at a place.",
)

define_op(
    "TensorListResize",
    inputs="input_handle: variant, size: int32",
    outputs="output_handle: variant",
    shape=shapes.resize,
    gradient=gradients.resize,
    doc="The list cut to a size, or filled up to it with elements that are not set.",
)

define_op(
    "TensorListFromTensor",
    inputs="tensor: element_dtype, element_shape: shape_type",
    outputs="output_handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.from_tensor,
    gradient=gradients.from_tensor,
    doc="A list of the slices of a tensor along its first dimension.",
)

define_op(
    "TensorListStack",
    inputs="input_handle: variant, element_shape: int32",
    outputs="tensor: element_dtype",
    attrs=[_DTYPE, "num_elements: int = -1"],
    shape=shapes.stack,
    gradient=gradients.stack,
    doc="All elements of a list along a new first dimension.",
)

define_op(
    "TensorListGather",
    inputs="input_handle: variant, indices: int32, element_shape: int32",
    outputs="values: element_dtype",
    attrs=[_DTYPE],
    shape=shapes.gather,
    gradient=gradients.gather,
    doc="Elements of a list, by index, along a new first dimension.",
)

define_op(
    "TensorListScatter",
    inputs="tensor: element_dtype, indices: int32, element_shape: shape_type",
    outputs="output_handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.scatter,
    gradient=gradients.scatter,
    doc="A list of the slices of a tensor along its first dimension, placed by index.",
)

define_op(
    "TensorListScatterV2",
    inputs=(
        "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32"
    ),
    outputs="output_handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.scatter,
    gradient=gradients.scatter_v2,
    doc="TensorListScatter into a list of a given size; -1 for the least that holds all.",
)

define_op(
    "TensorListScatterIntoExistingList",
    inputs="input_handle: variant, tensor: element_dtype, indices: int32",
    outputs="output_handle: variant",
    attrs=[_DTYPE],
    shape=shapes.scatter_into,
    gradient=gradients.scatter_into,
    doc="The list with the slices of a tensor along its first dimension at these places.",
)

define_op(
    "TensorListConcat",
    inputs="input_handle: variant",
    outputs="tensor: element_dtype, lengths: int64",
    attrs=[_DTYPE, "element_shape: shape = unknown"],
    shape=shapes.concat,
    gradient=gradients.concat,
    doc="All elements of a list joined along their first dimension, and their sizes there.",
)

define_op(
    "TensorListConcatV2",
    inputs="input_handle: variant, element_shape: shape_type, leading_dims: int64",
    outputs="tensor: element_dtype, lengths: int64",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.concat_v2,
    gradient=gradients.concat_v2,
    doc="TensorListConcat that takes the sizes of elements that are not set.",
)

define_op(
    "TensorListSplit",
    inputs="tensor: element_dtype, element_shape: shape_type, lengths: int64",
    outputs="output_handle: variant",
    attrs=[_DTYPE, _SHAPE_TYPE],
    shape=shapes.split,
    gradient=gradients.split,
    doc="A list of parts of a tensor, of these sizes along its first dimension.",
)

define_op(
    "TensorListConcatLists",
    inputs="input_a: variant, input_b: variant",
    outputs="output: variant",
    attrs=[_DTYPE],
    shape=shapes.concat_lists,
    gradient=NOT_DIFFERENTIABLE,
    doc="A list of the elements of two lists.",
)
