"""Kernels that put a border around a tensor, and the sums that undo mirroring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def _widths(value: Any, paddings: Any, mirrors: bool = False) -> list[list[int]]:
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {shape_text(paddings.shape)}")
    if len(paddings) != value.ndim:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{shape_text(paddings.shape)}{',' * mirrors} {shape_text(value.shape)}"
        )
    widths: list[list[int]] = paddings.tolist()
    for before, after in widths:
        if before < 0 or after < 0:
            word = "paddings" if mirrors else "Paddings"
            raise invalid(f"{word} must be non-negative: {before} {after}")
    return widths


def _padded(xp: Any, value: Any, widths: list[list[int]], border: Any, dtype: DType) -> Any:
    sizes = [a + n + b for n, (a, b) in zip(value.shape, widths, strict=True)]
    result = xp.full(sizes, border, dtype.as_numpy_dtype)
    inside = tuple(slice(a, a + n) for n, (a, _) in zip(value.shape, widths, strict=True))
    result[(*inside, ...)] = value  # The dots: of a scalar its element, not the array.
    return result


@kernel("Pad", host_inputs=("paddings",))
def pad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    border: Any = b"" if dtype == dtypes.string else 0

    def run(value: Any, paddings: Any) -> Any:
        return _padded(xp, value, _widths(value, paddings), border, dtype)

    return run


@kernel("PadV2", host_inputs=("paddings",))
def pad_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]

    def run(value: Any, paddings: Any, border: Any) -> Any:
        if border.ndim:
            raise invalid(f"constant_values must be a scalar. Found: {shape_text(border.shape)}")
        return _padded(xp, value, _widths(value, paddings), border, dtype)

    return run


@kernel("MirrorPad", host_inputs=("paddings",))
def mirror_pad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    mode = node.attr("mode")
    return lambda value, paddings: mirrored(xp, value, paddings, mode)


def mirrored(xp: Any, value: Any, paddings: Any, mode: bytes) -> Any:
    """A tensor with a border that mirrors it.

    Raises:
      InvalidArgumentError: The border does not fit the tensor.
    """
    edge = 0 if mode == b"SYMMETRIC" else 1
    widths = _widths(value, paddings, mirrors=True)
    for n, (before, after) in zip(value.shape, widths, strict=True):
        _check_mirror(n, before, after, edge, "dimension")
    inside = tuple(slice(a, a + n) for n, (a, _) in zip(value.shape, widths, strict=True))
    result = xp.empty(
        [a + n + b for n, (a, b) in zip(value.shape, widths, strict=True)], value.dtype
    )
    result[(*inside, ...)] = value
    # What one axis shows of another one's border, that one overwrites.
    for axis, (before, after) in enumerate(widths):
        end = before + value.shape[axis]
        low = _part(result, axis, before + edge, before + edge + before)
        _part(result, axis, 0, before)[...] = xp.flip(low, axis)
        high = _part(result, axis, end - edge - after, end - edge)
        _part(result, axis, end, end + after)[...] = xp.flip(high, axis)
    return result


@kernel("MirrorPadGrad", host_inputs=("paddings",))
def mirror_pad_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    edge = 0 if node.attr("mode") == b"SYMMETRIC" else 1

    def run(value: Any, paddings: Any) -> Any:
        widths = _widths(value, paddings, mirrors=True)
        for n, (before, after) in zip(value.shape, widths, strict=True):
            if before + after >= n:
                raise invalid(
                    "Total paddings must be less than the input dimension size: "
                    f"{before + after} was not less than {n}"
                )
            _check_mirror(n - before - after, before, after, edge, "output dimension")
        for axis, (before, after) in enumerate(widths):
            if before or after:
                value = _folded(xp, value, axis, before, after, edge)
        return value

    return run


def _check_mirror(n: int, before: int, after: int, edge: int, what: str) -> None:
    if edge and (before >= n or after >= n):
        raise invalid(
            f"paddings must be less than the {what} size: {before}, {after} not less than {n}"
        )
    elif before > n or after > n:
        raise invalid(
            f"paddings must be no greater than the {what} size: {before}, {after} greater than {n}"
        )


def _part(array: Any, axis: int, start: int, stop: int) -> Any:
    """What lies between two places along an axis."""
    return array[(*(slice(None),) * axis, slice(start, stop))]


def _folded(xp: Any, value: Any, axis: int, before: int, after: int, edge: int) -> Any:
    """Adds the border along one dimension to the places that it mirrors."""
    n = value.shape[axis] - before - after
    result = xp.array(_part(value, axis, before, before + n), copy=True)
    low = _part(result, axis, edge, edge + before)
    low += xp.flip(_part(value, axis, 0, before), axis)
    high = _part(result, axis, n - edge - after, n - edge)
    high += xp.flip(_part(value, axis, before + n, before + n + after), axis)
    return result
