"""tensorflow.python.ops.list_ops: lists of tensors, whose elements' shapes may be lists."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.porting.spellings.raw import op
from dataflow.values import dtypes
from dataflow.values.shapes import Dimension, TensorShape


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Any:
    """A list without elements, which may have `max_num_elements`."""
    return op("EmptyTensorList")(
        element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype,
        max_num_elements=-1 if max_num_elements is None else max_num_elements,
        name=name,
    )


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Any:
    """A list of elements that are not set."""
    return op("TensorListReserve")(
        element_shape=_build_element_shape(element_shape),
        num_elements=num_elements,
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """The rows of a tensor."""
    return op("TensorListFromTensor")(
        tensor=tensor, element_shape=_build_element_shape(element_shape), name=name
    )


def tensor_list_get_item(
    input_handle: Any,
    index: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The element at an index."""
    return op("TensorListGetItem")(
        input_handle=input_handle,
        index=index,
        element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_pop_back(input_handle: Any, element_dtype: Any, name: str | None = None) -> Any:
    """The list without its last element, and this."""
    return op("TensorListPopBack")(
        input_handle=input_handle, element_shape=-1, element_dtype=element_dtype, name=name
    )


def tensor_list_gather(
    input_handle: Any,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The elements at some indices, as a tensor."""
    return op("TensorListGather")(
        input_handle=input_handle,
        indices=indices,
        element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    input_handle: Any = None,
    name: str | None = None,
) -> Any:
    """A list with the rows of a tensor at some indices: a new one, or one that there is."""
    if input_handle is not None:
        return op("TensorListScatterIntoExistingList")(
            input_handle=input_handle, tensor=tensor, indices=indices, name=name
        )
    return op("TensorListScatterV2")(
        tensor=tensor,
        indices=indices,
        element_shape=_build_element_shape(element_shape),
        num_elements=-1,
        name=name,
    )


def tensor_list_stack(
    input_handle: Any,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """All elements, as the rows of a tensor."""
    return op("TensorListStack")(
        input_handle=input_handle,
        element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def tensor_list_concat(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Any:
    """All elements, one after the other along their first dimension."""
    return op("TensorListConcatV2")(
        input_handle=input_handle,
        element_dtype=element_dtype,
        element_shape=_build_element_shape(element_shape),
        leading_dims=convert_to_tensor([], dtype=dtypes.int64),
        name=name,
    )[0]


def tensor_list_split(
    tensor: Any, element_shape: Any, lengths: Any, name: str | None = None
) -> Any:
    """A tensor's rows, in elements that have so many of them."""
    return op("TensorListSplit")(
        tensor=tensor, element_shape=_build_element_shape(element_shape), lengths=lengths, name=name
    )


def tensor_list_set_item(
    input_handle: Any,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Any:
    """A list with another element at an index, longer than it was if that is asked for."""
    return op("TensorListSetItem")(
        input_handle=input_handle,
        index=index,
        item=item,
        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
        name=name,
    )


def _build_element_shape(shape: Any) -> Any:
    """A shape as the ops take it: -1 for what is not known."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list() if shape.ndims is not None else None
    if shape is None:
        return -1
    if isinstance(shape, int):
        return shape
    sizes = [each.value if isinstance(each, Dimension) else each for each in shape]
    if not sizes:
        return convert_to_tensor(sizes, dtype=dtypes.int32)
    return [-1 if size is None else size for size in sizes]
