"""The gradient of a concatenation: the gradient's parts, dense or as slices."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.contexts import output_context
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

_MANY = 16
"""Parts beyond this number are cut by one Split rather than by a Slice each."""


def concat_gradient(op: Operation, grad: Any, axis_input: int) -> list[Any]:
    """The gradients of the inputs of Concat (axis first) or ConcatV2 (axis last)."""
    axis: Any = op.inputs[axis_input]
    values = op.inputs[1:] if axis_input == 0 else op.inputs[:-1]
    parts: list[Any]
    if len(values) == 1:
        parts = [grad]
    elif isinstance(grad, IndexedSlices):
        parts = _slices_parts(grad, axis % array_shape.rank(values[0]), axis, values)
    elif isinstance(grad, Tensor):
        axis = _in_context_of(grad, axis)
        parts = _dense_parts(grad, axis % array_shape.rank(values[0]), values)
    else:
        raise TypeError(f"Expected Tensor or IndexedSlices, got {type(grad)}")
    return [None, *parts] if axis_input == 0 else [*parts, None]


def _in_context_of(grad: Tensor, axis: Tensor) -> Tensor:
    """The axis, made again if it is a constant of another branch or loop than the gradient."""
    if axis.op.type != "Const" or output_context(grad.op) is output_context(axis.op):
        return axis
    return constant(constants.constant_value(axis), dtype=axis.dtype)


def _dense_parts(grad: Tensor, axis: Any, values: tuple[Tensor, ...]) -> list[Any]:
    shapes = _shapes(values)
    if len(shapes) > _MANY:
        along = single("Slice", single("Pack", shapes, axis=1, name="stack"), [axis, 0], [1, -1])
        sizes = array_shape.squeeze(along)
        parts: list[Tensor] = apply_op(
            "SplitV", grad, sizes, axis, num_split=len(shapes), name="split"
        )
        return parts
    offsets = apply_op("ConcatOffset", axis, shapes)
    return [single("Slice", grad, begin, size) for begin, size in zip(offsets, shapes, strict=True)]


def _shapes(values: tuple[Tensor, ...]) -> list[Tensor]:
    """The shapes, as constants if all are known, else by one op."""
    shapes = []
    for value in values:
        shape = array_shape.shape(value)
        if shape.op.type != "Const":
            return array_shape.shape_n(list(values))
        shapes.append(shape)
    return shapes


def _slices_parts(
    grad: IndexedSlices, axis: Any, given_axis: Tensor, values: tuple[Tensor, ...]
) -> list[Any]:
    known = constants.constant_value(given_axis)
    if known is None:
        raise ValueError("Can only compute IndexedSlices gradient with statically-known concat_dim")
    place = int(known)
    if place < 0:
        rank = values[0].shape.rank
        if rank is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value "
                "rank is statically-known."
            )
        place %= rank
    shapes = [array_shape.shape(value) for value in values]
    return _column_parts(grad, axis, shapes) if place > 0 else _row_parts(grad, axis, shapes)


def _column_parts(grad: IndexedSlices, axis: Any, shapes: list[Tensor]) -> list[Any]:
    """Concatenated along a later dimension: each part has all rows, and some columns of them."""
    count: Any = array_shape.shape(shapes[0])
    mask: Any = single(
        "ConcatV2",
        [
            array_fill.zeros(array_shape.expand_dims(axis, 0), dtype=dtypes.int32),
            [1],
            array_fill.zeros(count - axis - 1, dtype=dtypes.int32),
        ],
        0,
        name="concat",
    )
    begin: Any = array_fill.zeros(count, dtype=dtypes.int32)
    parts = []
    for shape in shapes:
        size = single("ConcatV2", [[-1], single("Slice", shape, [1], [-1])], 0, name="concat")
        part = single("Slice", grad.values, begin, size)
        parts.append(IndexedSlices(part, grad.indices, shape))
        begin = single("AddV2", begin, shape * mask, name="Add")
    return parts


def _row_parts(grad: IndexedSlices, axis: Any, shapes: list[Tensor]) -> list[Any]:
    """Concatenated along the first dimension: each row belongs to one part."""
    indices: Any = grad.indices
    start: Any = constant(0, dtype=indices.dtype)
    parts = []
    for shape in shapes:
        rows: Any = single("GatherV2", shape, axis, 0)
        if rows.dtype != indices.dtype:
            rows = single("Cast", rows, DstT=indices.dtype)
        end = start + rows
        inside = single("LogicalAnd", indices >= start, indices < end)
        chosen = array_shape.squeeze(single("Where", inside), axis=[1])
        found: Any = single("GatherV2", indices, chosen, 0)
        places = found - start
        parts.append(IndexedSlices(single("GatherV2", grad.values, chosen, 0), places, shape))
        start = end
    return parts
