"""Brings the gradients of an op that broadcasts back to the shapes of its inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.values.shapes import TensorShape


@dataclass(frozen=True, slots=True)
class _Side:
    """How to sum a gradient down to one operand."""

    shape: Tensor
    axes: Any
    must_reduce: bool


def reduce_gradients(x: Tensor, y: Tensor, grad_x: Any, grad_y: Any) -> tuple[Any, Any]:
    """Sums gradients of the shape of `x op y` over what was broadcast; None stays None."""
    if grad_x is None and grad_y is None:
        return None, None
    of_x, of_y = _operands(x, y)
    return _reduce(grad_x, of_x), _reduce(grad_y, of_y)


def same_known_shape(*tensors: Any) -> bool:
    """True if all are tensors of one fully known static shape: nothing was broadcast."""
    first = tensors[0]._shape_val.dims_tuple
    return (
        first is not None
        and None not in first
        and all(type(t) is Tensor and t._shape_val.dims_tuple == first for t in tensors[1:])
    )


def _operands(x: Tensor, y: Tensor) -> tuple[_Side, _Side]:
    shape_x, shape_y = array_shape.shape(x), array_shape.shape(y)
    known = _static_axes(x.shape, y.shape)
    if known is None:
        axes_x, axes_y = apply_op("BroadcastGradientArgs", shape_x, shape_y)
        return _Side(shape_x, axes_x, True), _Side(shape_y, axes_y, True)
    rank_x, rank_y = x.shape.rank or 0, y.shape.rank or 0
    return (
        _Side(shape_x, known[0], bool(known[0]) or rank_x < rank_y),
        _Side(shape_y, known[1], bool(known[1]) or rank_y < rank_x),
    )


def _reduce(grad: Any, operand: _Side) -> Any:
    if grad is None or not operand.must_reduce:
        return grad
    summed = reduction("Sum", grad, operand.axes, keepdims=True)
    return array_shape.reshape(summed, operand.shape)


def _static_axes(x: TensorShape, y: TensorShape) -> tuple[list[int], list[int]] | None:
    """The axes along which each operand is repeated, or None where that is not known."""
    dims_x, dims_y = x.dims_tuple, y.dims_tuple
    if dims_x is None or dims_y is None:
        return None
    rank = max(len(dims_x), len(dims_y))
    padded_x = (1,) * (rank - len(dims_x)) + dims_x
    padded_y = (1,) * (rank - len(dims_y)) + dims_y
    axes_x: list[int] = []
    axes_y: list[int] = []
    for axis, (m, n) in enumerate(zip(padded_x, padded_y, strict=True)):
        if m == 1 and n != 1:
            axes_x.append(axis)
        elif n == 1 and m != 1:
            axes_y.append(axis)
        elif m is None or n is None:
            return None
    return axes_x, axes_y
