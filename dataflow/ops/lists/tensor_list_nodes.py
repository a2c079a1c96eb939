"""Functions that add the ops of lists of tensors to a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.shapes import Dimension, TensorShape


def element_shape_input(shape: Any) -> Any:
    """A shape as the ops take it: -1 for what is unknown.

    Args:
      shape: A tensor, None, a TensorShape, or a sequence whose entries may be None or tensors.
    """
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list() if shape else None
    if shape is None:
        return -1
    if isinstance(shape, (np.ndarray, np.generic)) or not shape:
        return convert_to_tensor(shape, dtype=dtypes.int32)
    return [_entry(size) for size in shape]


def _entry(size: Any) -> Any:
    if isinstance(size, Dimension):
        size = size.value
    return -1 if size is None else size


def empty_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Tensor:
    """An empty list."""
    return single(
        "EmptyTensorList",
        element_shape_input(element_shape),
        -1 if max_num_elements is None else max_num_elements,
        element_dtype=element_dtype,
        name=name,
    )


def reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """A list of elements that are not set."""
    return single(
        "TensorListReserve",
        element_shape_input(element_shape),
        num_elements,
        element_dtype=element_dtype,
        name=name,
    )


def from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """A list of a tensor's slices."""
    return single(
        "TensorListFromTensor",
        convert_to_tensor(tensor),
        element_shape_input(element_shape),
        name=name,
    )


def get_item(
    handle: Tensor,
    index: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """An element."""
    return single(
        "TensorListGetItem",
        handle,
        index,
        element_shape_input(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def set_item(
    handle: Tensor,
    index: Any,
    item: Any,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:
    """The list with another element."""
    return _same_kind(
        handle,
        single(
            "TensorListSetItem",
            handle,
            index,
            item,
            resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
            name=name,
        ),
    )


def push_back(handle: Tensor, tensor: Any, name: str | None = None) -> Tensor:
    """The list with one more element."""
    return single("TensorListPushBack", handle, tensor, name=name)


def pop_back(
    handle: Tensor, element_dtype: Any, element_shape: Any = -1, name: str | None = None
) -> Any:
    """The list without its last element, and that element."""
    return apply_op(
        "TensorListPopBack", handle, element_shape, element_dtype=element_dtype, name=name
    )


def length(handle: Tensor, name: str | None = None) -> Tensor:
    """Number of elements."""
    return single("TensorListLength", handle, name=name)


def element_shape(
    handle: Tensor, shape_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Shape of the elements."""
    return single("TensorListElementShape", handle, shape_type=shape_type, name=name)


def resize(handle: Tensor, size: Any, name: str | None = None) -> Tensor:
    """The list cut or filled up to a size."""
    return single("TensorListResize", handle, size, name=name)


def gather(
    handle: Tensor,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Some elements along a new first dimension."""
    return single(
        "TensorListGather",
        handle,
        indices,
        element_shape_input(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def scatter(
    tensor: Any,
    indices: Any,
    element_shape: Any = None,
    handle: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """A list of a tensor's slices by index: a new one, or one made from `handle`."""
    tensor = convert_to_tensor(tensor)
    if handle is None:
        return single(
            "TensorListScatterV2",
            tensor,
            indices,
            element_shape_input(element_shape),
            -1,
            name=name,
        )
    return _same_kind(
        handle,
        single("TensorListScatterIntoExistingList", handle, tensor, indices, name=name),
    )


def stack(
    handle: Tensor,
    element_dtype: Any,
    num_elements: int | None = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """All elements along a new first dimension."""
    return single(
        "TensorListStack",
        handle,
        element_shape_input(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def concat(
    handle: Tensor, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """All elements joined along their first dimension."""
    no_sizes = convert_to_tensor([], dtype=dtypes.int64)
    joined: Sequence[Tensor] = apply_op(
        "TensorListConcatV2",
        handle,
        element_shape_input(element_shape),
        no_sizes,
        element_dtype=element_dtype,
        name=name,
    )
    return joined[0]


def split(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> Tensor:
    """A list of parts of a tensor."""
    return single("TensorListSplit", tensor, element_shape_input(element_shape), lengths, name=name)


def _same_kind(handle: Tensor, result: Tensor) -> Tensor:
    """The result, said to hold what the list it was made from holds."""
    if handle.handle_data is not None:
        result.handle_data = handle.handle_data
    return result
