"""Gradients of the reductions over segments: each row takes that of its segment."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.cast as math_cast
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def sum_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of each row's segment."""
    return array_gather.gather(grad, op.inputs[1]), None


def mean_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of each row's segment over the segment's size."""
    data, ids = op.inputs
    rank: Any = array_shape.rank(data)
    shape = array_shape.shape(ids)
    inner = array_fill.ones(array_shape.expand_dims(rank - 1, 0), dtype=shape.dtype)
    ones = array_fill.ones(array_concat.concat([shape, inner], 0), dtype=grad.dtype)
    scaled = math_division.divide(grad, single("SegmentSum", ones, ids))
    return array_gather.gather(scaled, ids), None


def extreme_gradient(op: Operation, grad: Any) -> Any:
    """Shared equally among the rows that are their segment's extreme."""
    data, ids = op.inputs
    zeros = array_fill.zeros_like(data, dtype=data.dtype)
    chosen = math_compare.equal(data, array_gather.gather(op.outputs[0], ids))
    count = single("SegmentSum", math_cast.cast(chosen, grad.dtype), ids)
    shares = array_gather.gather(math_division.divide(grad, count), ids)
    return array_select.where_v2(chosen, shares, zeros), None


def prod_gradient(op: Operation, grad: Any) -> Any:
    """The product of a segment's other rows: the product over the row, unless that is 0."""
    data: Any
    data, ids = op.inputs
    is_zero = math_compare.equal(data, 0)
    zeros = single("SegmentSum", math_cast.cast(is_zero, dtypes.int32), ids)
    grad = _zero_where_two_are(zeros, grad)
    nonzero: Any = array_select.where_v2(is_zero, array_fill.ones_like(data), data)
    product_of_nonzero = single("SegmentProd", nonzero, ids)
    product: Any = array_gather.gather(op.outputs[0], ids)
    gathered_nonzero = array_gather.gather(product_of_nonzero, ids)
    partial = array_select.where_v2(is_zero, gathered_nonzero, product / nonzero)
    gathered: Any = array_gather.gather(grad, ids)
    return gathered * partial, None


def _zero_where_two_are(zeros: Tensor, grad: Any) -> Any:
    """With two zeros in a segment every product of all but one of its rows is 0."""
    several = math_compare.greater(zeros, 1)
    return array_select.where_v2(several, array_fill.zeros_like(grad), grad)


def _gather_or_zero(
    values: Any, ids: Any, clipped: Any = None, is_member: Any = None
) -> tuple[Any, Any, Any]:
    """Each slice's entry of `values`, and 0 for slices that a negative id leaves out.

    Returns:
      The entries; the ids, clipped at 0; and, in the entries' shape, which slices are members.
    """
    if clipped is None:
        clipped = math_binary.maximum(ids, array_fill.zeros_like(ids))
    gathered = array_gather.gather(values, clipped)
    if is_member is None:
        is_member = math_compare.greater_equal(ids, 0)
        shape = array_shape.shape(is_member)
        rank: Any = array_shape.rank(gathered)
        inner = array_fill.ones([rank - array_shape.rank(is_member)], dtype=shape.dtype)
        is_member = array_shape.reshape(is_member, array_concat.concat([shape, inner], axis=0))
        is_member = is_member & array_fill.ones_like(gathered, dtype=dtypes.bool)
    zeros = array_fill.zeros_like(gathered)
    return array_select.where_v2(is_member, gathered, zeros), clipped, is_member


def unsorted_sum_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of each slice's segment."""
    return _gather_or_zero(grad, op.inputs[1])[0], None, None


def unsorted_extreme_gradient(op: Operation, grad: Any) -> Any:
    """Shared equally among the slices that are their segment's extreme."""
    data, ids, count = op.inputs
    gathered, clipped, is_member = _gather_or_zero(op.outputs[0], ids)
    chosen = math_compare.logical_and(math_compare.equal(data, gathered), is_member)
    sharers = single("UnsortedSegmentSum", math_cast.cast(chosen, grad.dtype), ids, count)
    shares, _, _ = _gather_or_zero(math_division.divide(grad, sharers), None, clipped, is_member)
    return array_select.where_v2(chosen, shares, array_fill.zeros_like(shares)), None, None


def unsorted_prod_gradient(op: Operation, grad: Any) -> Any:
    """The product of a segment's other slices; see `prod_gradient`."""
    data: Any
    data, ids, count = op.inputs
    is_zero = math_compare.equal(data, 0)
    zeros = single("UnsortedSegmentSum", math_cast.cast(is_zero, dtypes.int32), ids, count)
    grad = _zero_where_two_are(zeros, grad)
    nonzero = array_select.where_v2(is_zero, array_fill.ones_like(data), data)
    product_of_nonzero = single("UnsortedSegmentProd", nonzero, ids, count)
    clipped = math_binary.maximum(ids, array_fill.zeros_like(ids))
    product: Any = array_gather.gather(op.outputs[0], clipped)
    gathered_nonzero = array_gather.gather(product_of_nonzero, clipped)
    partial = array_select.where_v2(is_zero, gathered_nonzero, product / data)
    gathered = _gather_or_zero(grad, ids, clipped)[0]
    return gathered * partial, None, None
