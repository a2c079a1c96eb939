"""The greatest elements along an axis, and whether a class is among them."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.shape_parts import Size, replaced, size_at, subshape, vector
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import REAL
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge_dim, with_rank, with_rank_at_least
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _top_shape(c: InferenceContext, k: Size) -> list[TensorShape]:
    shape = with_rank_at_least(c.input(0), 1)
    if shape.rank is None:
        return [UNKNOWN, UNKNOWN]
    size = size_at(shape, -1)
    if size is not None and k is not None and size < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {size}")
    return [replaced(shape, -1, k)] * 2


def _top_attr_shape(c: InferenceContext) -> list[TensorShape]:
    return _top_shape(c, c.attr("k"))


def _top_input_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank_at_least(c.input(0), 1)
    return _top_shape(c, _scalar_size(c))


def _scalar_size(c: InferenceContext) -> Size:
    """The second input read as a size; a shape that does not fit is left to the kernel."""
    value = c.constant(1)
    if value is None:
        return None
    if value.ndim:
        raise ValueError(f"Input must be scalar but has rank {value.ndim}")
    if value < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {int(value)}"
        )
    return int(value)


def _approximate_shape(c: InferenceContext) -> list[TensorShape]:
    """The axis holds k of them, be they gathered from parts or not: the kernels find them all."""
    shape, axis, k = c.input(0), c.attr("reduction_dimension"), c.attr("k")
    rank = shape.rank
    if rank is None or not -rank <= axis < rank:
        within = "[1, -2]" if rank is None else f"[{-rank}, {rank - 1}]"
        raise ValueError(
            f"Invalid reduction dimension: {axis}. Must be within the range of {within}"
        )
    recall = c.attr("recall_target")
    if not 0 < recall <= 1:
        raise ValueError(f"Invalid recall target: {recall:.6g}. Valid value range in : [0, 1.0].")
    size = size_at(shape, axis)
    if size is None or size < k:
        held = -1 if size is None else size
        raise ValueError(f"input must have last dimension >= k = {k} but was {held}")
    return [replaced(shape, axis, k)] * 2


def _in_top_shape(c: InferenceContext) -> TensorShape:
    predictions = with_rank(c.input(0), 2)
    targets = with_rank(c.input(1), 1)
    return vector(merge_dim(size_at(predictions, 0), size_at(targets, 0)))


def _nth_shape(c: InferenceContext) -> TensorShape:
    shape = with_rank_at_least(c.input(0), 1)
    n = _scalar_size(c)
    if shape.rank is None:
        return UNKNOWN
    size = size_at(shape, -1)
    if n is not None and size is not None and size <= n:
        raise ValueError(f"Input must have last dimension > n = {n} but is {size}")
    return subshape(shape, 0, -1)


def _top_gradient(op: Operation, grad: Any, _: Any) -> Any:
    """Scatters the gradient to where the greatest elements came from."""
    x_shape = array_shape.shape(op.inputs[0])
    index_shape = array_shape.shape(op.outputs[1])
    columns = _last_size(index_shape)
    rows: Any = array_shape.reshape(op.outputs[1], array_concat.stack([-1, columns]))
    width = _last_size(x_shape)
    row_shape: Any = array_shape.shape(rows)
    count = row_shape[0]
    starts = range_ops.range(0, cast(count, dtypes.int64) * width, width)
    offsets: Any = cast(array_shape.expand_dims(starts, -1), dtypes.int32)
    places = array_shape.reshape(rows + offsets, [-1])
    scattered = array_scatter.scatter_nd(
        array_shape.expand_dims(places, -1),
        array_shape.reshape(grad, [-1]),
        [reductions.reduce_prod(x_shape)],
    )
    gradient = array_shape.reshape(scattered, x_shape)
    zero = array_fill.zeros([], dtype=dtypes.int32)
    return (gradient, zero) if len(op.inputs) == 2 else gradient


def _last_size(shape: Tensor) -> Any:
    sizes = cast(shape, dtypes.int64)
    rank: Any = array_shape.size(shape)
    return array_gather.gather(sizes, rank - 1)


def _approximate_gradient(op: Operation, grad: Any, _: Any) -> Any:
    """Scatters the gradient to where the elements came from."""
    found = op.outputs[1]
    sizes = _sizes(found)
    rank = len(sizes)
    axis = op.get_attr("reduction_dimension") % rank

    def places(along: int) -> Tensor:
        """Where each element came from along one axis: a last axis of size 1."""
        if along == axis:
            return array_shape.reshape(found, [*sizes, 1])
        column = [1] * (rank + 1)
        column[along] = sizes[along]
        numbers = array_shape.reshape(range_ops.range(sizes[along]), column)
        return array_broadcast.broadcast_to(numbers, [*sizes, 1])

    where = array_concat.concat([places(along) for along in range(rank)], axis=rank)
    count = math.prod(sizes)
    return array_scatter.scatter_nd(
        array_shape.reshape(where, [count, rank]),
        array_shape.reshape(grad, [count]),
        _sizes(op.inputs[0]),
    )


def _sizes(x: Tensor) -> list[Any]:
    """Sizes of a tensor of known rank: numbers where the shape is known, else scalar tensors."""
    if x.shape.is_fully_defined():
        return x.shape.as_list()
    shape: Any = array_shape.shape(x)
    return [shape[axis] if size is None else size for axis, size in enumerate(x.shape.as_list())]


def _nth_gradient(op: Operation, grad: Any) -> Any:
    """Shares the gradient among the elements that equal the result."""
    x, output = op.inputs[0], op.outputs[0]
    equal = math_compare.equal(array_shape.expand_dims(output, -1), x)
    indicators = cast(equal, grad.dtype)
    share: Any = array_shape.expand_dims(grad, -1)
    count = array_shape.expand_dims(reductions.reduce_sum(indicators, -1), -1)
    return math_division.divide(indicators, count) * share, None


define_op(
    "TopK",
    inputs="input: T",
    outputs="values: T, indices: int32",
    attrs=["k: int >= 0", "sorted: bool = true", REAL],
    shape=_top_attr_shape,
    gradient=_top_gradient,
    doc="The k greatest elements along the last axis; found in old graphs.",
)
define_op(
    "TopKV2",
    inputs="input: T, k: Tk",
    outputs="values: T, indices: index_type",
    attrs=[
        "sorted: bool = true",
        REAL,
        "Tk: {int16, int32, int64} = int32",
        "index_type: {int16, int32, int64} = int32",
    ],
    shape=_top_input_shape,
    gradient=_top_gradient,
    doc="The k greatest elements along the last axis, and their places.",
)
define_op(
    "ApproxTopK",
    inputs="input: T",
    outputs="values: T, indices: int32",
    attrs=[
        "k: int >= 0",
        "reduction_dimension: int = -1",
        "recall_target: float = 0.95",
        "is_max_k: bool = true",
        "reduction_input_size_override: int = -1",
        "aggregate_to_topk: bool = true",
        "T: {half, bfloat16, float32}",
    ],
    shape=_approximate_shape,
    gradient=_approximate_gradient,
    doc="The k greatest or least elements along an axis, and their places; here, exactly those.",
)
define_op(
    "InTopK",
    inputs="predictions: float32, targets: T",
    outputs="precision: bool",
    attrs=["k: int", "T: {int32, int64} = int32"],
    shape=_in_top_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether the prediction of each target is among the k greatest of its row.",
)
define_op(
    "InTopKV2",
    inputs="predictions: float32, targets: T, k: T",
    outputs="precision: bool",
    attrs=["T: {int32, int64} = int32"],
    shape=_in_top_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Like InTopK, with k as an input.",
)
define_op(
    "NthElement",
    inputs="input: T, n: int32",
    outputs="values: T",
    attrs=["reverse: bool = false", REAL],
    shape=_nth_shape,
    gradient=_nth_gradient,
    doc="The element that would be at place n if the last axis were sorted.",
)


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """The k greatest elements along the last axis, the first of equal ones first.

    Args:
      input: Real tensor of at least one dimension.
      k: How many, at most the size of the last axis.
      sorted: Greatest first.
      index_type: Type of the indices.
      name: Name of the operation.

    Returns:
      The pair (values, indices), both with a last axis of size k.

    Raises:
      ValueError: The last axis is shorter than `k`.
    """
    return apply_op("TopKV2", input, k, sorted=sorted, index_type=index_type, name=name)


def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """The k greatest or least elements along an axis, sorted from there.

    TPUs may miss some of them. Processors find all, whatever recall is asked for.

    Args:
      input: Tensor of at least one dimension, of type float16, bfloat16 or float32.
      k: How many, at most the size of the axis.
      reduction_dimension: The axis.
      recall_target: Part of the k elements that must be among those that are found: in (0, 1].
      is_max_k: The greatest, else the least.
      reduction_input_size_override: Size of the axis, where `input` is a part of it.
      aggregate_to_topk: Whether exactly k are wanted; here there are k either way.
      name: Name of the operation.

    Returns:
      The pair (values, indices), both with an axis of size k in the place of `reduction_dimension`.

    Raises:
      ValueError: There is no such axis, its size is not known or less than k, or the recall is
        outside of (0, 1].
    """
    return apply_op(
        "ApproxTopK",
        input,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=is_max_k,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )


def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """The k greatest elements along an axis, greatest first; see `approx_top_k`."""
    return approx_top_k(
        operand,
        k,
        reduction_dimension,
        recall_target,
        True,
        reduction_input_size_override,
        aggregate_to_topk,
        name,
    )


def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """The k least elements along an axis, least first; see `approx_top_k`."""
    return approx_top_k(
        operand,
        k,
        reduction_dimension,
        recall_target,
        False,
        reduction_input_size_override,
        aggregate_to_topk,
        name,
    )


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the prediction of each target is among the k greatest of its row; ties count.

    Args:
      predictions: float32 matrix, one row a sample and one column a class.
      targets: One class a sample.
      k: Number of classes looked at.
      name: Name of the scope.
    """
    with name_scope(name, "in_top_k"):
        return single("InTopKV2", predictions, targets, k, name=name)


def nth_element(input: Any, n: Any, reverse: bool = False, name: str | None = None) -> Tensor:
    """The element at place n along the sorted last axis.

    Args:
      input: Real tensor of at least one dimension.
      n: Place, from 0.
      reverse: Counts from the greatest down.
      name: Name of the operation.
    """
    return single("NthElement", input, n, reverse=reverse, name=name)
