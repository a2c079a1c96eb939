"""Kernels that put tensors together and take them apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.handles import OBJECTS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.memory import aligned
from dataflow.kernels.threads.parallel import current, grain_of, split

_LARGE: Final = 1 << 21
"""Bytes of a result from which on several threads make it."""
_RATE: Final = 8e9
"""Bytes that one of them copies in a second, about."""


@kernel("ConcatV2", host_inputs=("axis",))
def concat_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    concatenate = _concatenation(xp, "axis")
    return lambda *args: concatenate(args[-1], args[:-1])


@kernel("Concat", host_inputs=("concat_dim",))
def concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    concatenate = _concatenation(xp, "concat_dim")
    return lambda *args: concatenate(args[0], args[1:])


def _concatenation(xp: Any, axis_name: str) -> Callable[[Any, Sequence[Any]], Any]:
    """The function of an axis and values."""
    seen: tuple[Any, int] = (None, 0)
    concatenate = xp.concatenate

    def run(axis: Any, values: Sequence[Any]) -> Any:
        nonlocal seen
        known, place = seen
        if axis is not known:
            if axis.size != 1:
                raise invalid(
                    f"{axis_name} tensor should be a scalar integer, but got shape "
                    f"{shape_text(axis.shape)}"
                )
            place = int(axis.reshape(()))
            if is_fixed(axis):
                seen = (axis, place)
        try:
            found = _in_pieces(values, place) if xp is np else None
            return concatenate(values, place) if found is None else found
        except ValueError:
            raise invalid(_misfit(values, place)) from None

    return run


def _in_pieces(values: Sequence[Any], axis: int) -> Any:
    """Large arrays side by side along an inner axis, by the threads that are idle.

    Returns:
      None for others, and for arrays that do not fit each other.
    """
    first = values[0]
    if current.helpers is None or sum(value.nbytes for value in values) < _LARGE:
        return None
    rank, dtype = first.ndim, first.dtype
    if not -rank <= axis < rank or not axis % rank or dtype.hasobject:
        return None
    axis %= rank
    leading, trailing = first.shape[:axis], first.shape[axis + 1 :]
    for value in values:
        if value.dtype != dtype or not value.flags.c_contiguous:
            return None
        if value.shape[:axis] != leading or value.shape[axis + 1 :] != trailing:
            return None
    rows = math.prod(leading)
    parts = [value.reshape(rows, -1) for value in values]
    result = aligned.empty((*leading, sum(value.shape[axis] for value in values), *trailing), dtype)
    whole = result.reshape(rows, -1)

    def run(start: int, stop: int) -> None:
        np.concatenate([part[start:stop] for part in parts], 1, out=whole[start:stop])

    split(rows, grain_of(rows, result.nbytes / _RATE), run)
    return result


def _misfit(values: Sequence[Any], axis: int) -> str:
    """Why tensors cannot be concatenated."""
    if not all(value.ndim for value in values):
        return "ConcatOp : Can't concatenate scalars (use tf.stack instead)"
    first = values[0].shape
    rank = len(first)
    if not -rank <= axis < rank:
        return (
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got "
            f"{axis}"
        )
    for i, value in enumerate(values):
        shapes = f"shape[0] = {shape_text(first)} vs. shape[{i}] = {shape_text(value.shape)}"
        if value.ndim != rank:
            return f"ConcatOp : Ranks of all input tensors should match: {shapes}"
        for j in range(rank):
            if j != axis % rank and value.shape[j] != first[j]:
                return f"ConcatOp : Dimension {j} in both shapes must be equal: {shapes}"
    return "ConcatOp : the inputs cannot be concatenated"


@kernel("ConcatOffset", host_inputs=("concat_dim", "shape"), host_outputs=("offset",))
def concat_offset(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(axis: Any, *shapes: Any) -> Any:
        if axis.ndim:
            raise invalid(
                "Concat dim tensor should be a scalar integer, but got shape "
                f"{shape_text(axis.shape)}"
            )
        for i, shape in enumerate(shapes):
            if shape.ndim != 1:
                raise invalid(
                    f"input {i + 1} should be a vector, but got shape {shape_text(shape.shape)}"
                )
        rank = len(shapes[0])
        place = int(axis) + rank if axis < 0 else int(axis)
        if not 0 <= place < rank:
            raise invalid(f"Concat dim is out of range: {int(axis)} vs. {rank}")
        first = shapes[0].tolist()
        offset = 0
        outputs = []
        for i, shape in enumerate(shapes):
            sizes = shape.tolist()
            _check_offset_shape(i, sizes, first, place)
            begin = np.zeros_like(shape)
            begin[place] = offset
            offset += sizes[place]
            outputs.append(begin)
        return tuple(outputs)

    return run


def _check_offset_shape(i: int, shape: list[int], first: list[int], axis: int) -> None:
    if len(shape) != len(first):
        raise invalid(f"input {i} should contain {len(first)} elements, but got {len(shape)}")
    if shape[:axis] != first[:axis] or shape[axis + 1 :] != first[axis + 1 :]:
        raise invalid(
            f"All dimensions except {axis} must match. Input {i} has shape "
            f"[{' '.join(map(str, shape))}] and doesn't match input 0 with shape "
            f"[{' '.join(map(str, first))}]."
        )


@kernel("Pack", grows=True)
def pack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis: int = node.attr("axis")

    def run(*values: Any) -> Any:
        first = values[0].shape
        for i, value in enumerate(values):
            if value.shape != first:
                raise invalid(
                    f"Shapes of all inputs must match: values[0].shape = {shape_text(first)} != "
                    f"values[{i}].shape = {shape_text(value.shape)}"
                )
        rank = len(first) + 1
        if not -rank <= axis < rank:
            raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
        return xp.stack(values, axis)

    return run


@kernel("Unpack")
def unpack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis: int = node.attr("axis")
    count: int = node.attr("num")
    is_object = node.input_dtypes[0] in OBJECTS

    def run(value: Any) -> Any:
        rank = value.ndim
        if not -rank <= axis < rank:
            raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
        place = axis % rank
        if value.shape[place] != count:
            raise invalid(
                f"Input shape axis {place} must equal {count}, got shape {shape_text(value.shape)}"
            )
        # The ellipsis keeps a part of a vector an array.
        before = (slice(None),) * place
        if is_object and rank == 1:
            return tuple(value.tolist())
        return tuple(value[(*before, i, Ellipsis)] for i in range(count))

    return run


@kernel("ParallelConcat")
def parallel_concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda *values: xp.concatenate(values, 0)
