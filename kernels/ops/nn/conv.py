"""Kernels of the convolutions over two and three spatial axes, and of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution import convolution
from dataflow.kernels.convolution.sliding import Sliding, sliding
from dataflow.kernels.convolution.windows import Window
from dataflow.kernels.narrow.conversion import narrow, widen


def rank_of(node: KernelNode) -> int:
    """Number of spatial axes: the digit in the op's name."""
    return 3 if node.op.startswith("Conv3D") else 2


def _in_float32(node: KernelNode, run: Callable[..., Any]) -> Callable[..., Any]:
    """The function of arrays of the output's type, 16-bit floats summed up in float32."""
    dtype = node.output_dtypes[0].base_dtype
    if dtype not in NARROW:
        return run
    kind = dtype.as_numpy_dtype

    def run_wide(*arrays: Any) -> Any:
        return narrow(run(*[widen(a) if a.dtype == kind else a for a in arrays]), kind)

    return run_wide


@kernel("Conv2D", "Conv3D")
def convolve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    moves, checked = sliding(node, rank_of(node)), checked_by(node, xp)

    def run(x: Any, filters: Any) -> Any:
        x, windows = checked(x, filters)
        return moves.as_given(xp, convolution.convolve(xp, x, filters, windows))

    return _in_float32(node, run)


def checked_by(node: KernelNode, xp: Any) -> Callable[[Any, Any], tuple[Any, tuple[Window, ...]]]:
    """The function of images and filters that gives the images, channels last, and the windows."""
    rank = rank_of(node)
    moves = sliding(node, rank)

    def checked(x: Any, filters: Any) -> tuple[Any, tuple[Window, ...]]:
        _check_ranks(rank, x, filters)
        x = moves.channels_last(xp, x)
        _check_depths(x.shape[-1], filters)
        return x, moves.windows(x.shape[1:-1], filters.shape[:-2])

    return checked


@kernel("Conv2DBackpropInput", "Conv3DBackpropInputV2", host_inputs=("input_sizes",))
def input_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank = rank_of(node)
    moves = sliding(node, rank)
    label = "Conv2DCustomBackpropInput" if rank == 2 else "Conv3DBackpropInputOp"

    def run(input_sizes: Any, filters: Any, dy: Any) -> Any:
        _check_gradient_ranks(label, rank, filters.ndim, dy)
        dy = moves.channels_last(xp, dy)
        shape = _input_shape(node, moves, rank, input_sizes, filters, dy)
        windows = _checked_windows(label, moves, shape, filters.shape, dy)
        dx = convolution.input_gradient(xp, filters, dy, windows, shape[-1])
        return moves.as_given(xp, dx)

    return _in_float32(node, run)


@kernel("Conv3DBackpropInput")
def early_input_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    compute = input_gradient(node, xp)
    return lambda x, filters, dy: compute(np.array(x.shape, np.int32), filters, dy)


@kernel("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", host_inputs=("filter_sizes",))
def filter_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rank = rank_of(node)
    moves = sliding(node, rank)
    label = "Conv2DCustomBackpropFilter" if rank == 2 else "Conv3DBackpropFilterOp"

    def run(x: Any, filter_sizes: Any, dy: Any) -> Any:
        sizes = _sizes(filter_sizes)
        if len(sizes) != rank + 2:
            raise invalid(
                f"{label}: filter_sizes must contain {rank + 2} values, but got: {len(sizes)}"
            )
        _check_gradient_ranks(label, rank, x.ndim, dy)
        x, dy = moves.channels_last(xp, x), moves.channels_last(xp, dy)
        windows = _checked_windows(label, moves, x.shape, sizes, dy)
        return convolution.filter_gradient(xp, x, dy, windows, sizes[-2])

    return _in_float32(node, run)


@kernel("Conv3DBackpropFilter")
def early_filter_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    compute = filter_gradient(node, xp)
    return lambda x, filters, dy: compute(x, np.array(filters.shape, np.int32), dy)


def _sizes(values: Any) -> tuple[int, ...]:
    if values.ndim != 1:
        raise invalid(f"sizes must be a vector, got shape {shape_text(values.shape)}")
    return tuple(values.tolist())


def _check_ranks(rank: int, x: Any, filters: Any) -> None:
    for what, array in (("input", x), ("filter", filters)):
        if array.ndim != rank + 2:
            raise invalid(
                f"convolution {what} must be {rank + 2}-dimensional: {shape_text(array.shape)}"
            )


def _check_depths(depth: int, filters: Any) -> None:
    if not filters.size:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    filter_depth, width = filters.shape[-2:]
    if depth % filter_depth:
        raise invalid(
            f"input depth must be evenly divisible by filter depth: {depth} vs {filter_depth}"
        )
    groups = depth // filter_depth
    if groups and width % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {width} vs {groups}"
        )


def _check_gradient_ranks(label: str, rank: int, other: int, dy: Any) -> None:
    if other != rank + 2 or dy.ndim != rank + 2:
        raise invalid(
            f"{label}: input, filter and out_backprop must be {rank + 2}-dimensional, got "
            f"{other} and {dy.ndim} dimensions"
        )


def _input_shape(
    node: KernelNode, moves: Sliding, rank: int, input_sizes: Any, filters: Any, dy: Any
) -> tuple[int, ...]:
    """The input's shape, channels last; two sizes leave batch and channels to the others."""
    sizes = _sizes(input_sizes)
    if len(sizes) == rank == 2:
        return (dy.shape[0], *sizes, filters.shape[-2])
    if len(sizes) != rank + 2:
        raise invalid(
            f"{node.op} requires input_sizes to contain {rank + 2} values or {rank} values, "
            f"but got: {len(sizes)}"
        )
    if min(sizes) < 0:
        raise invalid(f"{node.op}: input_sizes must be >= 0, got {list(sizes)}")
    return moves.shape_channels_last(sizes)


def _checked_windows(
    label: str, moves: Sliding, shape: Sequence[int], filter_shape: Sequence[int], dy: Any
) -> tuple[Window, ...]:
    """The windows, when input, filter and gradient fit to each other."""
    if shape[0] != dy.shape[0]:
        raise invalid(
            f"{label}: input and out_backprop must have the same batch size. Input batch: "
            f"{shape[0]}, outbackprop batch: {dy.shape[0]}, batch_dim: 0"
        )
    depth, width = filter_shape[-2:]
    if min(filter_shape) <= 0:
        raise invalid(f"{label}: filter sizes must be > 0, got {list(filter_shape)}")
    if shape[-1] % depth:
        raise invalid(f"{label}: input depth must be evenly divisible by filter depth")
    if dy.shape[-1] != width or (shape[-1] and width % (shape[-1] // depth)):
        raise invalid(f"{label}: filter and out_backprop must have the same out_depth")
    windows = moves.windows(shape[1:-1], filter_shape[:-2])
    for axis, (window, actual) in enumerate(zip(windows, dy.shape[1:-1], strict=True)):
        if window.output != actual:
            raise invalid(
                f"{label}: Size of out_backprop doesn't match computed: actual = {actual}, "
                f"computed = {window.output} spatial_dim: {axis + 1} input: {window.input} filter: "
                f"{window.size} output: {actual} stride: {window.stride} dilation: "
                f"{window.dilation}"
            )
    return windows
