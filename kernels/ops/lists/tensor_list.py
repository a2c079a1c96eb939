"""Kernels of lists of tensors: making them, and working on single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text, merged_dims
from dataflow.kernels.lists.stacking import make_zeros
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.values.dtypes import DType


def as_list(value: Any) -> TensorList:
    """A variant that must be a list.

    Raises:
      InvalidArgumentError: It is something else.
    """
    if type(value) is TensorList:
        return value
    if type(value) is np.ndarray:
        if value.shape:
            raise invalid(f"Input list must be a scalar saw: {shape_text(value.shape)}")
        inner: Any = value[()]
        if type(inner) is TensorList:
            return inner
    raise invalid(f"Input handle is not a list. Saw: '{type(value).__name__}'")


def list_of(value: Any, dtype: DType) -> TensorList:
    """A variant that must be a list of this element type.

    Raises:
      InvalidArgumentError: It is not.
    """
    if type(value) is TensorList and value.kind.dtype is dtype:
        return value
    found = as_list(value)
    if found.dtype is not dtype:
        raise invalid(
            f"Invalid data types; op elements {type_name(dtype)} but list elements "
            f"{type_name(found.dtype)}"
        )
    return found


def as_dims(shape: Any) -> Dims | None:
    """An `element_shape` input: a vector with -1 for what is unknown, or the scalar -1.

    Raises:
      InvalidArgumentError: It is neither.
    """
    rank = np.ndim(shape)
    if not rank:
        if shape != -1:
            raise invalid(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    if rank > 1:
        raise invalid(f"Shape must be at most rank 1 but is rank {rank}")
    dims = shape.tolist()
    for size in dims:
        if size < -1:
            raise invalid(f"Dimension {size} must be >= -1")
    return tuple(None if size == -1 else size for size in dims)


def full_dims(dims: Dims | None) -> tuple[int, ...] | None:
    """The shape, if all of it is known."""
    if dims is None or None in dims:
        return None
    return tuple(size for size in dims if size is not None)


def shape_of_missing(dims: Dims | None, elements: list[Any]) -> Dims | None:
    """Shape of the elements that were never set: the one that the others tell, if they agree."""
    if full_dims(dims) is not None:
        return dims
    for element in elements:
        if element is not None:
            dims = merged_dims(dims, np.shape(element))
    return dims


def shape_of(element: Any) -> tuple[int, ...]:
    """Shape of an element; a handle is a scalar whatever it calls a shape."""
    return () if isinstance(element, Variable) else getattr(element, "shape", ())


@kernel("EmptyTensorList", host_inputs=("element_shape", "max_num_elements"))
def empty_list(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(element_shape: Any, max_num_elements: Any) -> TensorList:
        if np.ndim(max_num_elements):
            raise invalid(
                "max_num_elements expected to be a scalar but got shape: "
                f"{shape_text(np.shape(max_num_elements))}"
            )
        return TensorList(dtype, as_dims(element_shape), limit=int(max_num_elements))

    return run


@kernel("TensorListReserve", host_inputs=("element_shape", "num_elements"))
def reserve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(element_shape: Any, num_elements: Any) -> TensorList:
        dims = as_dims(element_shape)
        if np.ndim(num_elements):
            raise invalid(
                "The num_elements to reserve must be a tensor size 1, but got "
                f"{shape_text(np.shape(num_elements))}"
            )
        if num_elements < 0:
            raise invalid(
                f"The num_elements to reserve must be a non negative number, but got {num_elements}"
            )
        return TensorList(dtype, dims, [None] * int(num_elements))

    return run


@kernel("TensorListLength", host_outputs=("length",))
def length(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: np.int32(as_list(value).length)


@kernel("TensorListElementShape", host_outputs=("element_shape",))
def element_shape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = np.dtype(node.attr("shape_type").as_numpy_dtype)

    def run(value: Any) -> Any:
        dims = as_list(value).dims
        if dims is None:
            return dtype.type(-1)
        return np.array([-1 if size is None else size for size in dims], dtype)

    return run


@kernel("TensorListPushBack")
def push_back(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(value: Any, tensor: Any) -> TensorList:
        found = list_of(value, dtype)
        dims = found.kind.dims
        if dims is not None and dims != shape_of(tensor) and not agree(dims, shape_of(tensor)):
            raise invalid(
                "Tried to append a tensor with incompatible shape to a list. Op element shape: "
                f"{shape_text(shape_of(tensor))} list shape: {dims_text(found.dims)}"
            )
        if 0 <= found.kind.limit <= found.length:
            raise invalid(
                f"Tried to push item into a full list list size: {found.length} "
                f"max_num_elements: {found.limit}"
            )
        return found.pushed(tensor)

    return run


@kernel("TensorListPushBackBatch")
def push_back_batch(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(values: Any, tensor: Any) -> Any:
        shape, count = np.shape(tensor), np.size(values)
        if not shape or shape[0] != count:
            rows = shape[0] if shape else 1
            raise invalid(
                f"Expected tensor.shape[0] == input_handles.size, but saw {rows} vs. {count}"
            )
        pushed = np.empty(np.shape(values), object)
        for place, (value, element) in enumerate(zip(np.ravel(values), tensor, strict=True)):
            found = as_list(value)
            if found.dtype is not dtype:
                raise invalid(
                    f"Invalid data type at index {place}; op elements {type_name(dtype)} but list "
                    f"elements {type_name(found.dtype)}"
                )
            if not agree(found.dims, shape[1:]):
                raise invalid(
                    "Tried to append a tensor with incompatible shape to a list at index "
                    f"{place}. Op element shape: {shape_text(shape[1:])} list shape: "
                    f"{dims_text(found.dims)}"
                )
            pushed.reshape(-1)[place] = found.pushed(element)
        return pushed

    return run


@kernel("TensorListPopBack", host_inputs=("element_shape",))
def pop_back(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(value: Any, element_shape: Any) -> tuple[TensorList, Any]:
        found = list_of(value, dtype)
        if not found.length:
            raise invalid("Trying to pop from an empty list.")
        rest, element = found.popped()
        if element is None:
            dims = merged_dims(as_dims(element_shape), found.dims)
            shape = full_dims(dims)
            if shape is None:
                raise invalid(
                    "Trying to read an uninitialized tensor but element_shape is not fully "
                    f"defined.{dims_text(dims)}"
                )
            element = make_zeros(xp, shape, dtype)
        return rest, element

    return run


def _place(index: Any) -> int:
    if type(index) is np.int32:
        return int(index)
    if np.size(index) != 1:
        raise invalid(f"index must be a scalar, but had shape: {shape_text(np.shape(index))}")
    return int(index.reshape(())) if np.ndim(index) else int(index)


@kernel("TensorListGetItem", host_inputs=("index", "element_shape"), grows=True)
def get_item(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(value: Any, index: Any, element_shape: Any) -> Any:
        found = list_of(value, dtype)
        place = _place(index)
        if not 0 <= place < found.length:
            raise invalid(
                f"Trying to access element {place} in a list with {found.length} elements."
            )
        element = found.get(place)
        if element is not None:
            return element
        dims = merged_dims(as_dims(element_shape), found.dims)
        shape = full_dims(shape_of_missing(dims, found.elements()))
        if shape is None:
            raise invalid(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                f"{dims_text(dims)} and no list element is set."
            )
        return make_zeros(xp, shape, dtype)

    return run


@kernel("TensorListSetItem", host_inputs=("index",))
def set_item(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, grows = node.attr("element_dtype"), node.attr("resize_if_index_out_of_bounds")

    def run(value: Any, index: Any, item: Any) -> TensorList:
        found = list_of(value, dtype)
        place = _place(index)
        if place < 0 or (place >= found.length and not grows):
            raise invalid(
                f"Trying to modify element {place} in a list with {found.length} elements."
            )
        dims = found.kind.dims
        if dims is not None and dims != shape_of(item) and not agree(dims, shape_of(item)):
            raise invalid(
                "Tried to set a tensor with incompatible shape at a list index. Item element "
                f"shape: {shape_text(shape_of(item))} list shape: {dims_text(found.dims)}"
            )
        while found.length <= place:
            found = found.pushed(None)
        return found.replaced(place, item)

    return run


@kernel("TensorListResize", host_inputs=("size",))
def resize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, size: Any) -> TensorList:
        found = as_list(value)
        if np.ndim(size):
            raise invalid("size must be a scalar")
        if size < 0:
            raise invalid(f"TensorListSlice expects size to be non-negative. Got: {size}")
        kept = found.elements()[:size]
        return found.with_elements(kept + [None] * (int(size) - len(kept)))

    return run


@kernel("TensorListConcatLists")
def concat_lists(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(first: Any, second: Any) -> Any:
        if np.shape(first) != np.shape(second):
            raise invalid(
                f"input_a and input_b must have the same shape, got {shape_text(np.shape(first))} "
                f"vs. {shape_text(np.shape(second))}"
            )
        joined = np.empty(np.shape(first), object)
        flat = joined.reshape(-1)
        for place, (a, b) in enumerate(zip(np.ravel(first), np.ravel(second), strict=True)):
            flat[place] = _concat_two(as_list(a), as_list(b), dtype, place)
        return joined if joined.ndim else joined[()]

    return run


def _concat_two(a: TensorList, b: TensorList, dtype: DType, place: int) -> TensorList:
    for name, one in (("input_a", a), ("input_b", b)):
        if one.dtype is not dtype:
            raise invalid(
                f"{name}[{place}].dtype != element_dtype: {type_name(one.dtype)} vs. "
                f"{type_name(dtype)}"
            )
    if a.dims != b.dims:
        raise invalid(
            "input_a and input_b TensorList element shapes are not identical at index "
            f"{place}.  Saw {dims_text(a.dims)} vs. {dims_text(b.dims)}"
        )
    return a.with_elements(a.elements() + b.elements())
