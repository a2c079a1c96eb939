"""Ops that repeat a tensor along dimensions: tile, broadcast, and shapes of broadcast results."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import multiply, replaced, size_at, vector, vector_as_shape
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge_dim, with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape, as_shape


def _tile_shape(c: InferenceContext) -> TensorShape:
    shape, multiples = c.input(0), vector_as_shape(c, 1)
    if shape.rank is not None:
        multiples = with_rank(multiples, shape.rank)
    if multiples.rank is None:
        return UNKNOWN
    shape = with_rank(shape, multiples.rank)
    pairs = zip(shape.dims_tuple or (), multiples.dims_tuple or (), strict=True)
    return TensorShape.of(tuple(multiply(dim, count) for dim, count in pairs))


def _broadcast_to_shape(c: InferenceContext) -> TensorShape:
    result, source = vector_as_shape(c, 1), c.input(0)
    if result.rank is None or source.rank is None:
        return result
    with_rank_at_most(source, result.rank)
    for place in range(-1, -source.rank - 1, -1):
        size = size_at(source, place)
        if size is not None and size > 1:
            result = replaced(result, place, merge_dim(size, size_at(result, place)))
    return result


def _args_shape(c: InferenceContext) -> TensorShape:
    first = with_rank(c.input(0), 1)
    second = with_rank(c.input(1), 1)
    m, n = size_at(first, 0), size_at(second, 0)
    return vector(None if m is None or n is None else max(m, n))


def _gradient_args_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [vector(None), vector(None)]


def _tile_gradient(op: Operation, grad: Any) -> Any:
    source, multiples = op.inputs
    shape: Any = array_shape.shape(source, out_type=multiples.dtype)
    pairs = array_transpose.transpose(array_concat.stack([multiples, shape]))
    blocks: Any = array_shape.reshape(pairs, [-1])
    axes = range_ops.range(0, array_shape.size(blocks), 2)
    if isinstance(grad, IndexedSlices):
        rows: Any = cast(shape[0], grad.indices.dtype)
        places: Any = grad.indices
        grad = single("UnsortedSegmentSum", grad.values, places % rows, rows)
        blocks = array_concat.concat([[1], blocks[1:]], axis=0)
    summed = reduction("Sum", array_shape.reshape(grad, blocks), axes)
    summed.set_shape(source.shape)
    return [summed, None]


def _broadcast_to_gradient(op: Operation, grad: Any) -> Any:
    source, wanted = op.inputs
    source_shape = array_shape.shape(source, out_type=wanted.dtype)
    known = constants.constant_value(wanted)
    target = wanted if known is None else constant(known.tolist(), dtype=wanted.dtype)
    _, axes = apply_op("BroadcastGradientArgs", target, source_shape)
    summed = reduction("Sum", grad, axis=axes, keepdims=True)
    return [array_shape.reshape(summed, source_shape), None]


define_op(
    "Tile",
    inputs="input: T, multiples: Tmultiples",
    outputs="output: T",
    attrs=["T: type", "Tmultiples: {int32, int64} = int32"],
    shape=_tile_shape,
    gradient=_tile_gradient,
    doc="Copies of a tensor side by side: multiples[i] of them along dimension i.",
)


define_op(
    "BroadcastTo",
    inputs="input: T, shape: Tidx",
    outputs="output: T",
    attrs=["T: type", "Tidx: {int32, int64} = int32"],
    shape=_broadcast_to_shape,
    gradient=_broadcast_to_gradient,
    doc="A tensor repeated along its dimensions of size 1, and along new first ones.",
)

define_op(
    "BroadcastArgs",
    inputs="s0: T, s1: T",
    outputs="r0: T",
    attrs=["T: {int32, int64} = int32"],
    shape=_args_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The shape that two shapes broadcast to.",
)

define_op(
    "BroadcastGradientArgs",
    inputs="s0: T, s1: T",
    outputs="r0: T, r1: T",
    attrs=["T: {int32, int64} = int32"],
    shape=_gradient_args_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="For two shapes that broadcast, the axes along which each of them is repeated.",
)


@dispatched
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Copies of a tensor side by side.

    Args:
      input: A tensor of at least one dimension.
      multiples: How many copies along each dimension: an integer vector.
      name: Name of the operation.
    """
    return single("Tile", input, multiples, name=name)


@dispatched
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor in a larger shape: dimensions of size 1 are repeated, new ones come first.

    Args:
      input: Any tensor.
      shape: The sizes: an integer vector.
      name: Name of the operation.

    Raises:
      ValueError: The shapes are known not to broadcast.
    """
    return single("BroadcastTo", input, shape, name=name)


@dispatched
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes, given as integer vectors, broadcast to."""
    return single("BroadcastArgs", shape_x, shape_y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two `TensorShape`s broadcast to.

    Raises:
      ValueError: They do not broadcast.
    """
    x, y = as_shape(shape_x).dims_tuple, as_shape(shape_y).dims_tuple
    if x is None or y is None:
        return UNKNOWN
    sizes: list[int | None] = []
    for m, n in zip_longest(reversed(x), reversed(y), fillvalue=1):
        if m is None or n is None:
            # An unknown size against one above 1 can only be 1 or that.
            known = max(m or 0, n or 0)
            sizes.append(known if known > 1 else None)
        elif m != n and 1 not in (m, n):
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each "
                "dimension pair they are either equal or one of them is 1. Received: "
                f"{shape_x} and {shape_y}."
            )
        else:
            sizes.append(n if m == 1 else m)
    return TensorShape.of(tuple(reversed(sizes)))
