"""Ops that put a border around a tensor: of one value, or a mirror image of the inside."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import is_dense_tensor_like
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import add, size_at, subtract, unknown_of_rank, with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def _bordered(c: InferenceContext) -> tuple[TensorShape, Any]:
    """The input's shape with the rank the paddings give it, and the paddings if known."""
    table = with_rank(c.input(1), 2)
    with_size(size_at(table, 1), 2)
    shape, rows = c.input(0), size_at(table, 0)
    return (shape if rows is None else with_rank(shape, rows)), c.constant(1)


def _pad_shape(c: InferenceContext) -> TensorShape:
    shape, table = _bordered(c)
    if table is None or shape.dims_tuple is None:
        return unknown_of_rank(shape.rank)
    if (table < 0).any():
        raise ValueError("Paddings must be non-negative")
    borders = table.sum(axis=1).tolist()
    return TensorShape.of(
        tuple(add(dim, border) for dim, border in zip(shape.dims_tuple, borders, strict=True))
    )


def _mirror_grad_shape(c: InferenceContext) -> TensorShape:
    shape, table = _bordered(c)
    if table is None or shape.dims_tuple is None:
        return unknown_of_rank(size_at(c.input(1), 0))
    if (table < 0).any():
        raise ValueError("Paddings must be non-negative")
    borders = table.sum(axis=1).tolist()
    return TensorShape.of(
        tuple(subtract(dim, border) for dim, border in zip(shape.dims_tuple, borders, strict=True))
    )


def _pad_gradient(op: Operation, grad: Any) -> Any:
    source, table = op.inputs[:2]
    column = array_concat.stack([array_shape.rank(source), 1])
    before = array_slice.slice(table, [0, 0], column)
    begin = array_shape.reshape(before, [-1])
    sizes = array_shape.shape(source, out_type=begin.dtype)
    inside = array_slice.slice(grad, begin, sizes)
    return (inside, *[None] * (len(op.inputs) - 1))


def _mirror_gradient(op: Operation, grad: Any) -> Any:
    return [single("MirrorPadGrad", grad, op.inputs[1], mode=op.attrs["mode"]), None]


def _mirror_grad_gradient(op: Operation, grad: Any) -> Any:
    return [single("MirrorPad", grad, op.inputs[1], mode=op.attrs["mode"]), None]


define_op(
    "Pad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=["T: type", "Tpaddings: {int32, int64} = int32"],
    shape=_pad_shape,
    gradient=_pad_gradient,
    doc="A border of zeros; paddings[i] is its width before and after along dimension i.",
)

define_op(
    "PadV2",
    inputs="input: T, paddings: Tpaddings, constant_values: T",
    outputs="output: T",
    attrs=["T: type", "Tpaddings: {int32, int64} = int32"],
    shape=_pad_shape,
    gradient=_pad_gradient,
    doc="A border of one value.",
)

_MODE = "mode: {'REFLECT', 'SYMMETRIC'}"

define_op(
    "MirrorPad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=["T: type", "Tpaddings: {int32, int64} = int32", _MODE],
    shape=_pad_shape,
    gradient=_mirror_gradient,
    doc="A border that mirrors the inside: without the edge (REFLECT), or with it (SYMMETRIC).",
)

define_op(
    "MirrorPadGrad",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=["T: type", "Tpaddings: {int32, int64} = int32", _MODE],
    shape=_mirror_grad_shape,
    gradient=_mirror_grad_gradient,
    doc="Adds what lies on a mirrored border to where it was mirrored from.",
)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """Puts a border around a tensor.

    Args:
      tensor: Any tensor.
      paddings: Integers of shape [rank, 2]: the width before and after, for each dimension.
      mode: "CONSTANT", "REFLECT" (mirrored, without the edge) or "SYMMETRIC" (with it).
      name: Name of the operation.
      constant_values: The value of the border in mode CONSTANT.

    Raises:
      ValueError: The mode is none of these, or paddings are known not to fit.
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if _is_zero(constant_values):
            result = single("Pad", tensor, paddings, name=name)
        else:
            result = single("PadV2", tensor, paddings, constant_values, name=name)
    elif mode in ("REFLECT", "SYMMETRIC"):
        result = single("MirrorPad", tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError(f"Unknown padding mode: {mode}")
    _refine(result, paddings)
    return result


def _is_zero(value: Any) -> bool:
    if is_dense_tensor_like(value) or np.ndim(value):
        return False
    return bool(value == np.zeros_like(value))


def _refine(result: Tensor, paddings: Any) -> None:
    """Says what is known of the shape where only some paddings are known."""
    dims = result.op.inputs[0].shape.dims_tuple
    table = _known(paddings)
    if dims is None or result.shape.is_fully_defined() or table is None:
        return
    sizes: list[int | None] = []
    for widths, dim in zip(table, dims, strict=False):
        known = widths is not None and dim is not None and not any(w is None for w in widths)
        sizes.append(int(sum(widths)) + (dim or 0) if known else None)
    result.set_shape(sizes)


def _known(paddings: Any) -> Any:
    """Paddings with None for what is not known while building."""
    if isinstance(paddings, (list, tuple)):
        return [_known(item) for item in paddings]
    if not isinstance(paddings, Tensor):
        return paddings
    value = constants.constant_value(paddings)
    if value is None and paddings.op.type == "Pack" and not paddings.op.attrs["axis"]:
        return [_known(item) for item in paddings.op.inputs]
    if value is None:
        return None
    return value.item() if value.ndim == 0 else value
