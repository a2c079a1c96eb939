"""Kernels of ops on the shape of a tensor. Shapes live in host memory, on every device."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import OBJECTS, in_array
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


@kernel("Shape", host_outputs=("output",))
def shape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type").as_numpy_dtype
    return lambda value: np.array(value.shape, dtype)


@kernel("ShapeN", host_outputs=("output",))
def shapes(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type").as_numpy_dtype
    return lambda *values: tuple(np.array(value.shape, dtype) for value in values)


@kernel("Size", host_outputs=("output",))
def size(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type").as_numpy_dtype
    return lambda value: dtype(value.size)


@kernel("Rank", host_outputs=("output",))
def rank(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: np.int32(value.ndim)


@kernel("Reshape", host_inputs=("shape",), grows=True)
def reshape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seen: tuple[Any, Any, Any] = (None, (), ())
    is_object = node.input_dtypes[0] in OBJECTS

    def run(value: Any, sizes: Any) -> Any:
        nonlocal seen
        if is_object:
            value = in_array(value)
        known, shape, wanted = seen
        if sizes is not known or value.shape != shape:
            wanted = resolved(value, sizes)
            if is_fixed(sizes):
                seen = (sizes, value.shape, wanted)
        shaped = value.reshape(wanted)
        return shaped.item() if is_object and not wanted else shaped

    def resolved(value: Any, sizes: Any) -> list[int]:
        wanted: list[int] = sizes.reshape(-1).tolist()
        if sizes.ndim < 2 and wanted.count(-1) < 2 and min(wanted, default=0) >= -1:
            if -1 in wanted:
                place = wanted.index(-1)
                known = math.prod(wanted[:place]) * math.prod(wanted[place + 1 :])
                missing = value.size // known if known else _missing(value, wanted, place)
                wanted[place] = missing
            if math.prod(wanted) == value.size:
                return wanted
        raise invalid(_misfit(value, sizes))

    return run


def _missing(value: Any, wanted: list[int], place: int) -> int:
    """The size left over where a given size is 0: of what remains without such sizes."""
    if value.size:
        return -1
    sizes = [n for i, n in enumerate(wanted) if i != place]
    have = math.prod(n for n in value.shape if n)
    room = math.prod(n for n in sizes if n)
    return have // room if have % room == 0 and sizes.count(0) <= list(value.shape).count(0) else 0


def _misfit(value: Any, sizes: Any) -> str:
    """Why a tensor cannot have this shape."""
    if sizes.ndim > 1:
        return f"sizes input must be 1-D, not {shape_text(sizes.shape)}"
    wanted = sizes.reshape(-1).tolist()
    for i, n in enumerate(wanted):
        if n < -1:
            return f"Size {i} must be non-negative, not {n}"
    if wanted.count(-1) > 1:
        first = wanted.index(-1)
        second = wanted.index(-1, first + 1)
        return f"Only one input size may be -1, not both {first} and {second}"
    room = math.prod(n for n in wanted if n != -1)
    have = f"Input to reshape is a tensor with {value.size} values, but the requested shape"
    if -1 not in wanted:
        return f"{have} has {room}"
    if room == 0:
        return (
            "reshape cannot infer the missing input size for an empty tensor unless all specified "
            "input sizes are non-zero"
        )
    return f"{have} requires a multiple of {room}"


@kernel("ExpandDims", host_inputs=("dim",), grows=True)
def expand_dims(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_object = node.input_dtypes[0] in OBJECTS

    def run(value: Any, axis: Any) -> Any:
        if is_object:
            value = in_array(value)
        if axis.size != 1:
            raise invalid("'dim' must be a tensor with a single value")
        place = int(axis.reshape(()))
        dims = value.shape
        if not -len(dims) - 1 <= place <= len(dims):
            raise invalid(
                f"Tried to expand dim index {place} for tensor with {len(dims)} dimensions."
            )
        place = place + len(dims) + 1 if place < 0 else place
        return value.reshape((*dims[:place], 1, *dims[place:]))

    return run


@kernel("Squeeze")
def squeeze(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axes = node.attr("squeeze_dims")

    def run(value: Any) -> Any:
        dims = value.shape
        if not axes:
            return value.reshape([n for n in dims if n != 1])
        chosen = set()
        for axis in axes:
            if not -len(dims) <= axis < len(dims):
                raise invalid(
                    f"Tried to squeeze dim index {axis} for tensor with {len(dims)} dimensions."
                )
            place = axis % len(dims)
            if dims[place] != 1:
                raise invalid(
                    f"Can not squeeze dim[{place}], expected a dimension of 1, got {dims[place]}"
                )
            chosen.add(place)
        return value.reshape([n for i, n in enumerate(dims) if i not in chosen])

    return run


@kernel("EnsureShape")
def ensure_shape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    wanted: TensorShape = node.attr("shape")
    name = (*node.input_names, node.name)[0]
    text = "?" if wanted.dims_tuple is None else _partial_text(wanted.dims_tuple)

    def run(value: Any) -> Any:
        if not wanted.is_compatible_with(value.shape):
            raise invalid(
                f"Shape of tensor {name} {shape_text(value.shape)} is not compatible with "
                f"expected shape {text}."
            )
        return value

    return run


def _partial_text(dims: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if n is None else str(n) for n in dims) + "]"


@kernel("GuaranteeConst")
def guarantee_const(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.attr("T") == dtypes.resource:
        raise invalid("Input tensor cannot be a resource variable handle.")
    return lambda value: value
