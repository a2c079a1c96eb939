"""Kernels that write or read many elements of a tensor array at once, stacked or joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text
from dataflow.kernels.lists.stacking import (
    concatenate_elements,
    numpy_type,
    slices_of,
    stack_elements,
)
from dataflow.kernels.lists.tensor_array import TensorArray
from dataflow.kernels.lists.tensor_array_handles import (
    WRITTEN,
    array_of,
    register_forms,
    wrong_read,
    wrong_write,
)
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_GATHERED: Final = (*ANY, dtypes.variant, dtypes.quint8, dtypes.qint8, dtypes.qint32)
_JOINED: Final = tuple(dtype for dtype in _GATHERED if dtype is not dtypes.variant)


@register_forms(
    "TensorArrayGather", host_inputs=("indices",), dtypes={"dtype": _GATHERED}, grows=True
)
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    collect = _bind_collect(node, xp)

    def run(array: Any, indices: Any, flow: Any) -> Any:
        array = array_of(array)
        return collect(array, lambda: _indices(indices))

    return run


@kernel("TensorArrayPack", dtypes={"dtype": _GATHERED}, grows=True)
def pack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    collect = _bind_collect(node, xp)
    return lambda array, flow: collect(array, lambda: list(range(array.whole_size)))


def _bind_collect(
    node: KernelNode, xp: Any
) -> Callable[[TensorArray, Callable[[], list[int]]], Any]:
    """Stacks the elements at the places that its second argument gives."""
    dtype, dims = node.attr("dtype"), node.attr("element_shape").dims_tuple

    def collect(array: TensorArray, places: Callable[[], list[int]]) -> Any:
        if array.dtype is not dtype:
            raise wrong_read(array, dtype)
        array.merge_dims(dims)
        indices = places()
        if not indices:
            return _nothing(xp, dtype, dims, "element shape", "packing")
        values = array.read_many(indices)
        shape = np.shape(values[0])
        if not agree(dims, shape):
            raise invalid(
                f"TensorArray was passed element_shape {dims_text(dims)} which does not match the "
                f"Tensor at index 0: {shape_text(shape)}"
            )
        for place, value in enumerate(values):
            if np.shape(value) != shape:
                raise invalid(
                    f"TensorArray has inconsistent shapes.  Index 0 has shape: {shape_text(shape)} "
                    f"but index {place} has shape: {shape_text(np.shape(value))}"
                )
        return stack_elements(xp, values, dtype)

    return collect


@register_forms("TensorArrayScatter", host_inputs=("indices",), dtypes={"T": WRITTEN})
def scatter(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, indices: Any, value: Any, flow: Any) -> Any:
        array = array_of(array)
        if array.dtype is not dtype:
            raise wrong_write(array, dtype)
        count = _rows(value)
        places = _indices(indices)
        if len(places) != count:
            raise invalid(
                f"Expected len(indices) == values.shape[0], but saw: {len(places)} vs. {count}"
            )
        size, last = array.size, max(places, default=-1)
        if last >= size and not array.dynamic:
            raise invalid(f"Max scatter index must be < array size ({last} vs. {size})")
        array.write_many(places, slices_of(value, dtype))
        return flow

    return run


@kernel("TensorArrayUnpack", dtypes={"T": WRITTEN})
def unpack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: TensorArray, value: Any, flow: Any) -> Any:
        if array.dtype is not dtype:
            raise wrong_write(array, dtype)
        count, size = _rows(value), array.size
        if array.dynamic:
            size = max(size, count)
        if count != size:
            raise invalid(
                "Input value must have first dimension equal to the array size "
                f"({count} vs. {size})"
            )
        array.mark_size(size)
        array.write_many(range(count), slices_of(value, dtype))
        return flow

    return run


@register_forms("TensorArrayConcat", host_outputs=("lengths",), dtypes={"dtype": _JOINED})
def concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, dims = node.attr("dtype"), node.attr("element_shape_except0").dims_tuple

    def run(array: Any, flow: Any) -> Any:
        array = array_of(array)
        if array.dtype is not dtype:
            raise wrong_read(array, dtype)
        size = array.whole_size
        if size < 0:
            raise invalid(
                f"TensorArray {array.name}: Could not concat gradients of an array that was never "
                "split"
            )
        if not size:
            value = _nothing(xp, dtype, dims, "element_shape_except0", "concatenating")
            return value, np.empty(0, np.int64)
        values = array.read_many(range(size))
        _check_joinable(values, dims)
        lengths = np.array([len(value) for value in values], np.int64)
        return concatenate_elements(xp, values), lengths

    return run


def _check_joinable(values: list[Any], dims: Dims | None) -> None:
    """Refuses elements that differ in more than their first dimension."""
    rest: tuple[int, ...] = ()
    for place, value in enumerate(values):
        shape = np.shape(value)
        if not shape:
            raise invalid(
                f"Concat saw a scalar shape at index {place} but requires at least vectors.  "
                "Did you mean to call pack?"
            )
        if not place:
            rest = shape[1:]
            if not agree(dims, rest):
                raise invalid(
                    f"TensorArray was passed element_shape_except0 {dims_text(dims)} but index 0 "
                    f"has (excepting dimension 0) shape: {shape_text(rest)} which does not match."
                )
        elif shape[1:] != rest:
            raise invalid(
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{shape_text(rest)} but index {place} has (excepting dimension 0) shape: "
                f"{shape_text(shape[1:])}"
            )


@register_forms("TensorArraySplit", host_inputs=("lengths",), dtypes={"T": WRITTEN})
def split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, value: Any, lengths: Any, flow: Any) -> Any:
        array = array_of(array)
        if array.dtype is not dtype:
            raise wrong_write(array, dtype)
        ends = _ends(value, lengths)
        size = array.size
        if array.dynamic:
            size = max(size, len(ends))
        if size != len(ends):
            raise invalid(
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(ends)}), "
                "and the TensorArray is not marked as dynamically resizeable"
            )
        array.mark_size(size)
        parts = (value[s:e] for s, e in zip([0, *ends], ends, strict=False))
        array.write_many(range(len(ends)), parts)
        return flow

    return run


def _ends(value: Any, lengths: Any) -> list[int]:
    """Where the parts of a tensor end along its first dimension."""
    if np.ndim(lengths) != 1:
        raise invalid(
            f"Expected lengths to be a vector, received shape: {shape_text(np.shape(lengths))}"
        )
    shape = np.shape(value)
    if not shape:
        raise invalid(
            f"Expected value to be at least a vector, but received shape: {shape_text(shape)}"
        )
    if lengths.size and lengths.min() < 0:
        raise invalid(f"Expected lengths to be >= 0, but got {lengths.min()}")
    ends: list[int] = np.cumsum(lengths).tolist()
    total = ends[-1] if ends else 0
    if total != shape[0]:
        raise invalid(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{total} and value's shape is: {shape_text(shape)} "
        )
    return ends


def _indices(indices: Any) -> list[int]:
    if np.ndim(indices) != 1:
        raise invalid(
            f"Expected indices to be a vector, but received shape: {shape_text(np.shape(indices))}"
        )
    found: list[int] = indices.tolist()
    return found


def _rows(value: Any) -> int:
    shape = np.shape(value)
    if not shape:
        raise invalid(
            "Input value for unpack must be at least a vector but received shape: "
            f"{shape_text(shape)}"
        )
    return int(shape[0])


def _nothing(xp: Any, dtype: DType, dims: Dims | None, what: str, doing: str) -> Any:
    """The result of stacking or joining no elements."""
    if dims is None or None in dims:
        raise UnimplementedError(
            None,
            None,
            f"TensorArray has size zero, but {what} {dims_text(dims)} is not fully defined. "
            f"Currently only static shapes are supported when {doing} zero-size TensorArrays.",
        )
    return xp.empty((0, *dims), numpy_type(dtype))
