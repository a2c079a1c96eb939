"""Kernels of grey-scale dilation and of its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution.windows import Window, make_window, outputs
from dataflow.kernels.pooling.pooling import lowest, regions
from dataflow.kernels.threads.parallel import grain_of, split

_TYPES = {"T": REAL}
_SECONDS: Final = 5e-10
"""What one tap takes for one element, about."""


@kernel("Dilation2D", dtypes=_TYPES)
def dilation(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows_of = _windows(node)

    def run(x: Any, filters: Any) -> Any:
        windows = windows_of(x, filters)
        best = _lowest(xp, x, windows)
        if not best.size:
            return best
        # Of a row of pixels the channels are neighbours, and one run in memory.
        rows = best.reshape(*best.shape[:2], -1)
        channels = x.shape[-1]
        flat = xp.tile(filters.reshape(-1, channels), (1, best.shape[2]))

        def images(start: int, stop: int) -> None:
            given, made = x[start:stop], rows[start:stop]
            for tap, (places, seen) in enumerate(regions(windows)):
                *outer, last = places
                columns = slice(last.start * channels, last.stop * channels)
                so_far = made[(*outer, columns)]
                part = given[seen].reshape(so_far.shape)
                xp.fmax(so_far, part + flat[tap, columns], out=so_far)

        seconds = best.size * filters.shape[0] * filters.shape[1] * _SECONDS
        split(x.shape[0], grain_of(x.shape[0], seconds), images)
        return best

    return run


@kernel("Dilation2DBackpropInput", dtypes=_TYPES)
def input_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows_of = _windows(node)

    def run(x: Any, filters: Any, grad: Any) -> Any:
        windows = windows_of(x, filters)
        _check_gradient(x, grad, windows)
        _, index = _greatest(xp, x, filters, windows)
        result = xp.zeros_like(x)
        for tap, (places, seen) in enumerate(regions(windows)):
            target = result[seen]
            target += grad[places] * (index[places] == tap)
        return result

    return run


@kernel("Dilation2DBackpropFilter", dtypes=_TYPES)
def filter_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows_of = _windows(node)

    def run(x: Any, filters: Any, grad: Any) -> Any:
        windows = windows_of(x, filters)
        _check_gradient(x, grad, windows)
        _, index = _greatest(xp, x, filters, windows)
        result = xp.zeros(filters.shape, dtype=filters.dtype)
        flat = result.reshape(-1, filters.shape[-1])
        for tap in range(flat.shape[0]):
            flat[tap] = (grad * (index == tap)).sum(axis=(0, 1, 2), dtype=grad.dtype)
        return result

    return run


def _greatest(xp: Any, x: Any, filters: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """The greatest sums, and the tap each is at: the first of equal ones."""
    best = _lowest(xp, x, windows)
    index = xp.zeros(best.shape, dtype=np.int32)
    flat = filters.reshape(-1, filters.shape[-1])
    for tap, (places, seen) in enumerate(regions(windows)):
        candidate, so_far = x[seen] + flat[tap], best[places]
        better = candidate > so_far
        xp.copyto(so_far, candidate, where=better)
        xp.copyto(index[places], np.int32(tap), where=better)
    return best, index


def _lowest(xp: Any, x: Any, windows: Sequence[Window]) -> Any:
    """The result as it is before the first sum is looked at."""
    shape = (x.shape[0], *outputs(windows), x.shape[-1])
    return xp.full(shape, lowest(x.dtype), dtype=x.dtype)


def _windows(node: KernelNode) -> Callable[[Any, Any], tuple[Window, ...]]:
    strides, rates = node.attr("strides"), node.attr("rates")
    padding = node.attr("padding")
    for name, values in (("strides", strides), ("rates", rates)):
        if len(values) != 4 or values[0] != 1 or values[3] != 1 or min(values) < 1:
            raise invalid(
                f"{name} must be four positive numbers that are 1 for the batch and the depth, "
                f"got {list(values)}"
            )

    def windows_of(x: Any, filters: Any) -> tuple[Window, ...]:
        if x.ndim != 4:
            raise invalid(f"input must be 4-dimensional: {shape_text(x.shape)}")
        if filters.ndim != 3:
            raise invalid(f"filter must be 3-dimensional: {shape_text(filters.shape)}")
        if x.shape[3] != filters.shape[2]:
            raise invalid(
                f"input and filter must have the same depth: {x.shape[3]} vs {filters.shape[2]}"
            )
        return tuple(
            make_window(x.shape[axis], filters.shape[axis - 1], strides[axis], rates[axis], padding)
            for axis in (1, 2)
        )

    return windows_of


def _check_gradient(x: Any, grad: Any, windows: Sequence[Window]) -> None:
    expected = (x.shape[0], *outputs(windows), x.shape[-1])
    if grad.shape != expected:
        raise invalid(
            f"out_backprop has incompatible size: {shape_text(grad.shape)}, expected "
            f"{shape_text(expected)}"
        )
