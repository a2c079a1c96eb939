"""Kernels that change the order of dimensions, or of elements along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


def _checked_order(order: Any, rank: int) -> list[int]:
    """A permutation of `rank` axes, counted from the front."""
    if order.ndim != 1:
        raise invalid(f"perm must be rank 1, got shape {shape_text(order.shape)}")
    if len(order) != rank:
        raise invalid(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(order)}"
        )
    axes = [axis + rank if axis < 0 else axis for axis in order.tolist()]
    for axis in axes:
        if not 0 <= axis < rank:
            raise invalid(f"{axis} is out of range [0 .. {rank})")
    for axis in range(rank):
        if axis not in axes:
            raise invalid(f"{axis} is missing from {{{','.join(map(str, order))}}}.")
    return axes


@kernel("Transpose", host_inputs=("perm",))
def transpose(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seen: tuple[Any, int, list[int]] = (None, 0, [])

    def run(value: Any, order: Any) -> Any:
        nonlocal seen
        known, rank, axes = seen
        if order is not known or value.ndim != rank:
            axes = _checked_order(order, value.ndim)
            if is_fixed(order):
                seen = (order, value.ndim, axes)
        return value.transpose(axes) if axes else value

    return run


@kernel("ConjugateTranspose", host_inputs=("perm",))
def conjugate_transpose(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_complex = node.input_dtypes[0].is_complex

    def run(value: Any, order: Any) -> Any:
        axes = _checked_order(order, value.ndim)
        moved = value.transpose(axes) if axes else value
        return xp.conj(moved) if is_complex else moved

    return run


@kernel("InvertPermutation", host_inputs=("x",), host_outputs=("y",))
def invert_permutation(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(order: Any) -> Any:
        if order.ndim != 1:
            raise invalid("invert_permutation expects a 1D vector.")
        count = len(order)
        outside = (order < 0) | (order >= count)
        if outside.any():
            raise invalid(f"{order[outside.argmax()]} is not between 0 and {count}")
        inverse = np.full_like(order, -1)
        inverse[order] = np.arange(count, dtype=order.dtype)
        if (inverse < 0).any():
            _, firsts = np.unique(order, return_index=True)
            again = np.delete(np.arange(count), firsts)
            raise invalid(f"{order[again[0]]} is duplicated in the input.")
        return inverse

    return run


@kernel("ReverseV2", host_inputs=("axis",))
def reverse_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, axes: Any) -> Any:
        rank = value.ndim
        if axes.ndim != 1:
            raise invalid(f"'dims' must be 1-dimension, not {axes.ndim}")
        marks = [False] * rank
        for i, axis in enumerate(axes.tolist()):
            place = axis + rank if axis < 0 else axis
            if not 0 <= place < rank:
                raise invalid(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
            if marks[place]:
                raise invalid(f"axis {place} specified more than once.")
            marks[place] = True
        return _reversed(value, marks)

    return run


@kernel("Reverse", host_inputs=("dims",))
def reverse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, dims: Any) -> Any:
        if dims.ndim != 1:
            raise invalid(f"'dims' must be 1-dimension, not {dims.ndim}")
        if len(dims) != value.ndim:
            raise invalid(
                "'dims' must have the same number of values as 'input' has dimensions. 'input' "
                f"has {value.ndim}'dims' has {len(dims)} values"
            )
        return _reversed(value, dims.tolist())

    return run


def _reversed(value: Any, marks: list[bool]) -> Any:
    if len(marks) > 8:
        raise UnimplementedError(None, None, "reverse is not implemented for tensors of rank > 8.")
    return value[(*(slice(None, None, -1 if mark else 1) for mark in marks), Ellipsis)]


@kernel("ReverseSequence", host_inputs=("seq_lengths",))
def reverse_sequence(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seq_dim: int = node.attr("seq_dim")
    batch_dim: int = node.attr("batch_dim")

    def run(value: Any, lengths: Any) -> Any:
        check_sequences(value, lengths, seq_dim, batch_dim)
        result = xp.array(value, copy=True)
        axis = seq_dim - (batch_dim < seq_dim)
        for i, length in enumerate(lengths.tolist()):
            if length > 1:
                row = (slice(None),) * batch_dim + (i,)
                along = (slice(None),) * axis
                part = value[row][(*along, slice(0, length))]
                target = result[row][(*along, slice(0, length))]
                target[...] = xp.flip(part, axis)
        return result

    return run


def check_sequences(value: Any, lengths: Any, seq_dim: int, batch_dim: int) -> None:
    """Refuses lengths that do not fit the sequences."""
    if lengths.ndim != 1:
        raise invalid(f"seq_lengths must be 1-dim, not {lengths.ndim}")
    if batch_dim == seq_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    for name, axis in (("batch_dim", batch_dim), ("seq_dim", seq_dim)):
        if axis < 0:
            raise invalid(f"Invalid {name} {axis}")
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if axis >= value.ndim:
            raise invalid(f"{name} must be < input rank ( {axis} vs. {value.ndim})")
    if len(lengths) != value.shape[batch_dim]:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({len(lengths)} vs. "
            f"{value.shape[batch_dim]})"
        )
    for i, length in enumerate(lengths.tolist()):
        if length < 0:
            raise invalid(f"seq_lens({i}) < 0")
        if length > value.shape[seq_dim]:
            raise invalid(f"seq_lens({i}) > input.dims({seq_dim})")


@kernel("Roll", host_inputs=("shift", "axis"))
def roll(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, shift: Any, axis: Any) -> Any:
        if not value.ndim:
            raise invalid("input must be 1-D or higher")
        for name, vector in (("shift", shift), ("axis", axis)):
            if vector.ndim > 1:
                raise invalid(
                    f"{name} must be a scalar or a 1-D vector. Found: {shape_text(vector.shape)}"
                )
        if shift.shape != axis.shape:
            raise invalid("shift and axis must have the same size")
        axes = axis.reshape(-1).tolist()
        for place in axes:
            if not -value.ndim <= place < value.ndim:
                raise invalid(f"axis {place} is out of range")
        return xp.roll(value, shift.reshape(-1).tolist(), axes) if axes else value

    return run
