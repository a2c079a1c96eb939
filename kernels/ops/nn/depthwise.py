"""Kernels of the depthwise convolutions and of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution import depthwise
from dataflow.kernels.convolution.sliding import Sliding, sliding
from dataflow.kernels.convolution.windows import Window


@kernel("DepthwiseConv2dNative")
def convolve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    moves, checked = sliding(node, 2), checked_by(node, xp)

    def run(x: Any, filters: Any) -> Any:
        x, windows = checked(x, filters)
        return moves.as_given(xp, depthwise.convolve(xp, x, filters, windows))

    return widened(run, node.input_dtypes[0])


def checked_by(node: KernelNode, xp: Any) -> Callable[[Any, Any], tuple[Any, tuple[Window, ...]]]:
    """The function of images and filters that gives the images, channels last, and the windows."""
    moves = sliding(node, 2)

    def checked(x: Any, filters: Any) -> tuple[Any, tuple[Window, ...]]:
        for what, array in (("input", x), ("filter", filters)):
            if array.ndim != 4:
                raise invalid(f"{what} must be 4-dimensional: {shape_text(array.shape)}")
        x = moves.channels_last(xp, x)
        if x.shape[-1] != filters.shape[2]:
            raise invalid(
                f"input and filter must have the same depth: {x.shape[-1]} vs {filters.shape[2]}"
            )
        return x, moves.windows(x.shape[1:-1], filters.shape[:2])

    return checked


@kernel("DepthwiseConv2dNativeBackpropInput", host_inputs=("input_sizes",))
def input_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    moves = sliding(node, 2)
    label = "DepthwiseConv2DBackpropInput"

    def run(input_sizes: Any, filters: Any, dy: Any) -> Any:
        shape = _sizes(label, "input", input_sizes)
        _check_ranks(label, filters, dy)

        def compute(filters: Any, dy: Any) -> Any:
            dy = moves.channels_last(xp, dy)
            given = moves.shape_channels_last(shape)
            windows = _checked_windows(label, moves, given, filters.shape, dy)
            dx = depthwise.input_gradient(xp, filters, dy, windows, given[-1])
            return moves.as_given(xp, dx)

        return widened(compute, node.output_dtypes[0])(filters, dy)

    return run


@kernel("DepthwiseConv2dNativeBackpropFilter", host_inputs=("filter_sizes",))
def filter_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    moves = sliding(node, 2)
    label = "DepthwiseConv2DBackpropFilter"

    def run(x: Any, filter_sizes: Any, dy: Any) -> Any:
        sizes = _sizes(label, "filter", filter_sizes)
        _check_ranks(label, x, dy)

        def compute(x: Any, dy: Any) -> Any:
            x, dy = moves.channels_last(xp, x), moves.channels_last(xp, dy)
            windows = _checked_windows(label, moves, x.shape, sizes, dy)
            return depthwise.filter_gradient(xp, x, dy, windows, sizes[3])

        return widened(compute, node.output_dtypes[0])(x, dy)

    return run


def _sizes(label: str, what: str, values: Any) -> tuple[int, ...]:
    if values.shape != (4,):
        raise invalid(f"{label}: {what} must be 4-dimensional")
    sizes: tuple[int, ...] = tuple(values.tolist())
    if min(sizes) < 0:
        raise invalid(f"{label}: {what} sizes must be >= 0, got {list(sizes)}")
    return sizes


def _check_ranks(label: str, first: Any, dy: Any) -> None:
    if first.ndim != 4 or dy.ndim != 4:
        raise invalid(f"{label}: input, filter and out_backprop must be 4-dimensional")


def _checked_windows(
    label: str, moves: Sliding, shape: Sequence[int], filter_shape: Sequence[int], dy: Any
) -> tuple[Window, ...]:
    """The windows, when input, filter and gradient fit to each other."""
    if shape[0] != dy.shape[0]:
        raise invalid(f"{label}: input and out_backprop must have the same batch size")
    if shape[-1] != filter_shape[2]:
        raise invalid(f"{label}: input and filter must have the same in_depth")
    if filter_shape[2] * filter_shape[3] != dy.shape[-1]:
        raise invalid(f"{label}: depth_multiplier * in_depth not equal to out_depth")
    windows = moves.windows(shape[1:-1], filter_shape[:2])
    for name, window, actual in zip(("rows", "cols"), windows, dy.shape[1:-1], strict=True):
        if window.output != actual:
            raise invalid(
                f"{label}: Number of {name} of out_backprop doesn't match computed: actual = "
                f"{actual}, computed = {window.output}"
            )
    return windows
