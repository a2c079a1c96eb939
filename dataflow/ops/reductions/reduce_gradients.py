"""Gradients of the reductions: spread an output's gradient over what was reduced into it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.scan as reductions_scan
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, device, get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """The shape with 1 in place of the axes: what a reduction gives that keeps its axes.

    Args:
      input_shape: Integer vector: a tensor, or a tuple.
      axes: The axes: a tensor, or a tuple.

    Returns:
      An int32 array if both are known, else a tensor.
    """
    known_shape = _known(input_shape)
    if known_shape is not None:
        known_axes = _known(axes)
        if known_axes is not None:
            shape = np.array(known_shape, dtype=np.int32)
            shape[np.array(known_axes, dtype=np.int32)] = 1
            return shape
    # TensorFlow 2 leaves axes of int64 as they are, which DynamicStitch refuses; 1.15 casts them.
    positions: Any = cast(convert_to_tensor(axes), dtypes.int32)
    rank = array_shape.size(input_shape, out_type=positions.dtype)
    positions = (positions + rank) % rank
    length = array_shape.shape(positions)
    return single(
        "DynamicStitch",
        [range_ops.range(rank), positions],
        [input_shape, array_fill.ones(length, dtype=input_shape.dtype)],
    )


def _known(value: Any) -> Any:
    return constant_value(value) if isinstance(value, Tensor) else value


def sum_gradient(op: Operation, grad: Any) -> Any:
    """Repeats the gradient along the reduced axes."""
    x = op.inputs[0]
    dims = x.shape.dims_tuple
    axes = constant_value(op.inputs[1]) if dims is not None else None
    if dims is not None and axes is not None:
        if np.array_equal(axes, np.arange(len(dims))):
            grad = array_shape.reshape(grad, [1] * len(dims))
            full = array_shape.shape(x) if None in dims else constant(dims, dtype=dtypes.int32)
            return [array_broadcast.tile(grad, full), None]
        if None not in dims:
            kept, repeats = _kept_and_repeats(dims, tuple(axes.reshape(-1).tolist()))
            return [array_broadcast.tile(array_shape.reshape(grad, kept), repeats), None]
    full = array_shape.shape(x)
    if not op.attrs["keep_dims"]:
        with colocate_with(full):
            kept = reduced_shape(full, op.inputs[1])
        grad = array_shape.reshape(grad, kept)
    return [array_broadcast.broadcast_to(grad, full), None]


def _kept_and_repeats(dims: tuple[Any, ...], axes: tuple[int, ...]) -> tuple[Any, Any]:
    """The reduced shape with its axes kept, and how often each axis is to be repeated.

    As in TensorFlow the nodes that tell are made once a graph, though their value is known.
    """
    cache = get_default_graph()._reduced_shape_cache
    key = (dims, axes)
    if key not in cache:
        kept = tuple(reduced_shape(dims, axes).tolist())
        least_one: Any = math_binary.maximum(kept, 1)
        repeats = constant_value(dims // least_one)
        assert repeats is not None
        cache[key] = kept, tuple(repeats.tolist())
    return cache[key]  # type: ignore[no-any-return]


def mean_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of the sum, over the number of elements in each mean."""
    of_sum = sum_gradient(op, grad)[0]
    dims = op.inputs[0].shape.dims_tuple
    reduced = op.outputs[0].shape.dims_tuple
    count: Any
    if dims is not None and reduced is not None and None not in dims and None not in reduced:
        sizes = [math.prod(d for d in shape if d is not None) for shape in (dims, reduced)]
        count = constant(sizes[0] // max(sizes[1], 1), dtype=of_sum.dtype)
    else:
        shape = array_shape.shape(op.inputs[0])
        rank: Any = array_shape.size(shape)
        axes = cast(op.inputs[1], rank.dtype)
        axes = (axes + rank) % rank
        count = reduction("Prod", array_gather.gather(shape, axes))
    return math_division.truediv(of_sum, cast(count, of_sum.dtype)), None


def extreme_gradient(op: Operation, grad: Any) -> Any:
    """Shares the gradient equally among the elements that are the maximum or minimum."""
    x, axes = op.inputs
    shape = array_shape.shape(x)
    y = op.outputs[0]
    if op.attrs["keep_dims"]:
        kept = array_shape.shape(y)
    else:
        kept = reduced_shape(shape, axes)
        y = array_shape.reshape(y, kept)
        grad = array_shape.reshape(grad, kept)
    chosen = cast(math_compare.equal(y, x), grad.dtype)
    count = array_shape.reshape(reduction("Sum", chosen, axes), kept)
    share: Any = math_division.divide(chosen, count)
    return [share * grad, None]


def norm_gradient(op: Operation, grad: Any) -> Any:
    """x times the gradient over the norm."""
    x, axes = op.inputs
    norm: Any = op.outputs[0]
    if not op.attrs["keep_dims"]:
        kept = reduced_shape(array_shape.shape(x), axes)
        norm = array_shape.reshape(norm, kept)
        grad = array_shape.reshape(grad, kept)
    return math_division.truediv(x, norm / grad), None


def prod_gradient(op: Operation, grad: Any) -> Any:
    """For each element the product of all others: exclusive products from both sides.

    Dividing the product by the element would fail at zero.
    """
    x = op.inputs[0]
    shape = array_shape.shape(x)
    axes: Any = array_shape.reshape(op.inputs[1], [-1])
    if not op.attrs["keep_dims"]:
        grad = array_shape.reshape(grad, reduced_shape(shape, op.inputs[1]))
    grad = array_broadcast.broadcast_to(grad, shape)
    with device("/cpu:0"):
        rank: Any = array_shape.rank(x)
        axes = cast(axes, rank.dtype)
        reduced = (axes + rank) % rank
        every = range_ops.range(0, rank)
        other, _ = apply_op("ListDiff", every, reduced, out_idx=reduced.dtype)
        order = array_concat.concat([reduced, other], 0)
        reduced_size = reduction("Prod", array_gather.gather(shape, reduced))
        other_size = reduction("Prod", array_gather.gather(shape, other))
    permuted = array_transpose.transpose(x, order)
    permuted_shape = array_shape.shape(permuted)
    matrix = array_shape.reshape(permuted, (reduced_size, other_size))
    before = reductions_scan.cumprod(matrix, axis=0, exclusive=True)
    after = reductions_scan.cumprod(matrix, axis=0, exclusive=True, reverse=True)
    before_conj: Any = math_complex.conj(before)
    others = array_shape.reshape(before_conj * math_complex.conj(after), permuted_shape)
    back = array_transpose.transpose(others, array_transpose.invert_permutation(order))
    return array_shape.reshape(grad * back, shape), None
