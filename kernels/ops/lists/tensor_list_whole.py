"""Kernels between lists of tensors and tensors: stacking, joining and taking apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text, merged_dims
from dataflow.kernels.lists.stacking import (
    concatenate_elements,
    make_zeros,
    numpy_type,
    slices_of,
    stack_elements,
)
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.kernels.ops.lists.tensor_list import as_dims, full_dims, list_of
from dataflow.values.dtypes import DType


@kernel("TensorListFromTensor", host_inputs=("element_shape",))
def from_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(tensor: Any, element_shape: Any) -> TensorList:
        dims = _element_dims(tensor, element_shape)
        return TensorList(dtype, dims, slices_of(tensor, dtype))

    return run


def _element_dims(tensor: Any, element_shape: Any) -> Dims | None:
    """The shape that the elements made of a tensor's slices are said to have."""
    shape = np.shape(tensor)
    if not shape:
        raise invalid(f"Tensor must be at least a vector, but saw shape: {shape_text(shape)}")
    dims = as_dims(element_shape)
    if not agree(dims, shape[1:]):
        raise invalid(
            f"Specified a list with shape {dims_text(dims)} from a tensor with shape "
            f"{shape_text(shape[1:])}"
        )
    return dims


@kernel("TensorListStack", host_inputs=("element_shape",), grows=True)
def stack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, count = node.attr("element_dtype"), node.attr("num_elements")

    def run(value: Any, element_shape: Any) -> Any:
        found = list_of(value, dtype)
        elements = found.elements()
        if count not in (-1, len(elements)):
            raise invalid(
                f"Operation expected a list with {count} elements but got a list with "
                f"{len(elements)} elements."
            )
        dims = merged_dims(as_dims(element_shape), found.dims)
        if not elements and full_dims(dims) is None:
            raise invalid(
                "Tried to stack elements of an empty list with non-fully-defined element_shape: "
                f"{dims_text(dims)}"
            )
        return _stacked(
            xp,
            elements,
            dims,
            dtype,
            "Tried to stack list which only contains uninitialized tensors and has a "
            "non-fully-defined element_shape: ",
        )

    return run


def _stacked(xp: Any, elements: list[Any], dims: Dims | None, dtype: DType, complaint: str) -> Any:
    """Stacks elements, with zeros for those that were never set."""
    shape: Dims | None = dims
    for element in elements:
        if element is not None:
            shape = merged_dims(shape, np.shape(element))
    known = full_dims(shape)
    if known is None:
        raise invalid(f"{complaint}{dims_text(shape)}")
    if not elements:
        return xp.empty((0, *known), numpy_type(dtype))
    if any(element is None for element in elements):
        zeros = make_zeros(xp, known, dtype)
        elements = [zeros if element is None else element for element in elements]
    return stack_elements(xp, elements, dtype)


@kernel("TensorListGather", host_inputs=("indices", "element_shape"), grows=True)
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(value: Any, indices: Any, element_shape: Any) -> Any:
        found = list_of(value, dtype)
        dims = merged_dims(as_dims(element_shape), found.dims)
        places = np.ravel(indices).tolist()
        if not places and full_dims(dims) is None:
            raise invalid(
                "Tried to gather 0-elements from a list with non-fully-defined shape: "
                f"{dims_text(dims)}"
            )
        elements = found.elements()
        count = len(elements)
        for place in places:
            if not 0 <= place < count:
                # TensorFlow looks at all elements first where it must find their shape.
                raise invalid(
                    f"Index {place} out o range; list only has {count} elements."
                    if full_dims(dims) is not None
                    else f"Trying to gather element {place} in a list with {count} elements."
                )
        return _stacked(
            xp,
            [elements[place] for place in places],
            dims,
            dtype,
            "Tried to gather uninitialized tensors from a list with non-fully-defined "
            "element_shape: ",
        )

    return run


@kernel("TensorListScatter", host_inputs=("indices", "element_shape"))
def scatter(node: KernelNode, xp: Any) -> Callable[..., Any]:
    scattered = _bind_scatter(node)
    return lambda tensor, indices, element_shape: scattered(tensor, indices, element_shape, -1)


@kernel(
    "TensorListScatterV2",
    host_inputs=("indices", "element_shape", "num_elements"),
)
def scatter_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    scattered = _bind_scatter(node)

    def run(tensor: Any, indices: Any, element_shape: Any, num_elements: Any) -> TensorList:
        if np.ndim(num_elements):
            raise invalid("TensorListScatter expects num_elements to be a scalar")
        if num_elements < -1:
            raise invalid(f"TensorListScatter expects num_elements >= -1, found: {num_elements}")
        return scattered(tensor, indices, element_shape, int(num_elements))

    return run


def _bind_scatter(node: KernelNode) -> Callable[[Any, Any, Any, int], TensorList]:
    dtype = node.attr("element_dtype")

    def scattered(tensor: Any, indices: Any, element_shape: Any, count: int) -> TensorList:
        dims = _element_dims(tensor, element_shape)
        places = np.ravel(indices).tolist()
        if not np.ndim(tensor):
            raise invalid("Tensor must be at least a vector, but saw shape: []")
        if np.shape(tensor)[0] != len(places):
            raise invalid(
                f"Invalid number of rows in input tensor. Expected: {len(places)} "
                f"Actual: {np.shape(tensor)[0]}"
            )
        highest = max(places, default=-1)
        if min(places, default=0) < 0:
            raise invalid("Indices in TensorListScatter must all be non-negative.")
        if count == -1:
            count = highest + 1
        elif highest >= count:
            raise invalid(
                f"TensorListScatter: Trying to scatter at index {highest} in list with size {count}"
            )
        elements: list[Any] = [None] * count
        for place, element in zip(places, slices_of(tensor, dtype), strict=True):
            elements[place] = element
        return TensorList(dtype, dims, elements)

    return scattered


@kernel("TensorListScatterIntoExistingList", host_inputs=("indices",))
def scatter_into(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(value: Any, tensor: Any, indices: Any) -> TensorList:
        found = list_of(value, dtype)
        if np.ndim(indices) != 1:
            raise invalid(
                "Expected indices to be a vector, but received shape: "
                f"{shape_text(np.shape(indices))}"
            )
        shape = np.shape(tensor)
        if not shape:
            raise invalid(f"Tensor must be at least a vector, but saw shape: {shape_text(shape)}")
        places = indices.tolist()
        if len(places) != shape[0]:
            raise invalid(
                f"Expected len(indices) == tensor.shape[0], but saw: {len(places)} vs. {shape[0]}"
            )
        if min(places, default=0) < 0:
            raise invalid("Indices in TensorListScatter must all be non-negative.")
        elements = found.elements()
        elements.extend([None] * (max(places, default=-1) + 1 - len(elements)))
        for place, element in zip(places, slices_of(tensor, dtype), strict=True):
            elements[place] = element
        return found.with_elements(elements)

    return run


@kernel("TensorListConcat", host_outputs=("lengths",))
def concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    joined = _bind_concat(node, xp)
    dims = node.attr("element_shape").dims_tuple
    return lambda value: joined(value, dims, [])


@kernel(
    "TensorListConcatV2",
    host_inputs=("element_shape", "leading_dims"),
    host_outputs=("lengths",),
)
def concat_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    joined = _bind_concat(node, xp)
    return lambda value, element_shape, leading_dims: joined(
        value, as_dims(element_shape), np.ravel(leading_dims).tolist()
    )


def _bind_concat(
    node: KernelNode, xp: Any
) -> Callable[[Any, Dims | None, list[int]], tuple[Any, Any]]:
    dtype = node.attr("element_dtype")

    def joined(value: Any, asked: Dims | None, leading: list[int]) -> tuple[Any, Any]:
        found = list_of(value, dtype)
        elements = found.elements()
        dims = merged_dims(asked, found.dims)
        if dims is not None and not dims:
            raise invalid("Concat requires elements to be at least vectors, found scalars instead.")
        rest = None if dims is None else dims[1:]
        if not elements and full_dims(rest) is None:
            raise invalid(
                "All except the first dimension must be fully defined when concating an empty "
                f"tensor list. element_shape: {dims_text(dims)}"
            )
        inner = _inner_shape(elements, rest)
        first = None if not dims else dims[0]
        parts, lengths = [], []
        for place, element in enumerate(elements):
            if element is None:
                rows = _missing_rows(place, elements, first, leading)
                element = make_zeros(xp, (rows, *inner), dtype)
            lengths.append(len(element))
            parts.append(element)
        sizes = np.array(lengths, np.int64)
        if not parts:
            return xp.empty((0, *inner), numpy_type(dtype)), sizes
        return concatenate_elements(xp, parts), sizes

    return joined


def _inner_shape(elements: list[Any], rest: Dims | None) -> tuple[int, ...]:
    """The elements' shape without its first dimension."""
    for place, element in enumerate(elements):
        if element is None:
            continue
        shape = np.shape(element)
        if not shape:
            raise invalid(
                f"Concat saw a scalar shape at index {place} but requires at least vectors."
            )
        rest = merged_dims(rest, shape[1:])
    inner = full_dims(rest)
    if inner is None:
        raise invalid(
            "Trying to concat list with only uninitialized tensors but "
            f"element_shape_except_first_dim is not fully defined: {dims_text(rest)}"
        )
    return inner


def _missing_rows(place: int, elements: list[Any], first: int | None, leading: list[int]) -> int:
    """Size along the first dimension of an element that was never set."""
    if first is not None:
        return first
    if place < len(leading):
        return leading[place]
    for element in elements:
        if element is not None and not leading:
            return len(element)
    raise invalid(
        f"List contains uninitialized tensor at index {place} but leading_dims has only "
        f"{len(leading)} elements."
    )


@kernel("TensorListSplit", host_inputs=("element_shape", "lengths"))
def split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("element_dtype")

    def run(tensor: Any, element_shape: Any, lengths: Any) -> TensorList:
        if np.ndim(lengths) != 1:
            raise invalid(
                f"Expected lengths to be a vector, received shape: {shape_text(np.shape(lengths))}"
            )
        shape = np.shape(tensor)
        if not shape:
            raise invalid(f"Tensor must be at least a vector, but saw shape: {shape_text(shape)}")
        dims = as_dims(element_shape)
        # Only the dimensions behind the first are those of every element.
        if dims is not None and not agree(dims[1:] if dims else dims, shape[1:]):
            raise invalid(
                f"tensor shape {shape_text(shape)} is not compatible with element_shape "
                f"{dims_text(dims)}"
            )
        elements, start = [], 0
        for rows in lengths.tolist():
            if rows < 0:
                raise invalid(f"Invalid value in lengths: {rows}")
            end = start + rows
            if end > shape[0]:
                raise invalid(
                    f"Attempting to slice [{start}, {end}] from tensor with length {shape[0]}"
                )
            elements.append(tensor[start:end])
            start = end
        if start != shape[0]:
            raise invalid(
                f"Unused values in tensor. Length of tensor: {shape[0]} Values used: {start}"
            )
        return TensorList(dtype, dims, elements)

    return run
