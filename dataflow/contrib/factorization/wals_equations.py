"""The normal equations of weighted least squares, and the loss of what solves them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import colocate_with
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.array.concat import stack
from dataflow.ops.array.fill import ones
from dataflow.ops.array.gather import gather
from dataflow.ops.array.partition import dynamic_partition
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import expand_dims, reshape, shape, squeeze
from dataflow.ops.array.transpose import transpose
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.ops.linalg.tensordot import trace
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import less
from dataflow.ops.math.unary import square
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.sparse.matmul import sparse_tensor_dense_matmul
from dataflow.ops.state.scatter import scatter_update
from dataflow.values import dtypes


@dataclass
class Side:
    """The rows of a matrix or its columns: their factors and weights, and what steps read."""

    name: str
    count: int
    factors: list[Any]
    weights: list[Any] | None
    gramian: Any
    """The product of the transposed factors and the factors."""
    read_factors: list[Any] = field(default_factory=list)
    read_weights: list[Any] = field(default_factory=list)
    read_gramian: Any = None


def solved(
    left: Side,
    right: Side,
    sp_input: SparseTensor,
    transposed: bool,
    unobserved: float,
    regularization: float | None,
    ridge: Any,
    weights: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """New factors of the left side's lines that a sparse matrix has.

    Args:
      left: The side.
      right: The other one.
      sp_input: Lines of the matrix, by their numbers.
      transposed: Whether these are its columns.
      unobserved: The weight of what the matrix lacks.
      regularization: Of the factors.
      ridge: The same times the identity matrix.
      weights: Of the lines, instead of the side's.

    Returns:
      The factors, the operation that writes them, the loss, the regularization, and the sum of
      weights.
    """
    lines, columns = (0, 1) if not transposed else (1, 0)
    numbers, line = unique(sp_input.indices[:, lines])
    others, column = unique(sp_input.indices[:, columns])
    values, count = sp_input.values, shape(numbers)[0]
    v = embedding_lookup(right.read_factors, others, partition_strategy="div")
    gramian = right.read_gramian
    left_hand = unobserved * gramian
    if ridge is not None:
        left_hand += ridge
    sizes = cast(stack([count, shape(others)[0]]), dtypes.int64)
    at = cast(stack([line, column], 1), dtypes.int64)

    def times(each: Any, dense: Any) -> Any:
        return sparse_tensor_dense_matmul(SparseTensor(at, each, sizes), dense)

    of_values: Any = constant(0.0)
    if left.weights is None or right.weights is None:
        found = transpose(matrix_solve(left_hand, transpose(unobserved * times(values, v))))
    else:
        of_lines = _weights(left, numbers, count, weights)
        of_columns = embedding_lookup(right.read_weights, others, partition_strategy="div")
        of_values = gather(of_lines, line) * gather(of_columns, column)
        components = shape(v)[1]
        products = reshape(expand_dims(v, 2) * expand_dims(v, 1), [-1, components * components])
        own = reshape(times(of_values, products), [-1, components, components])
        right_hand = times((unobserved + of_values) * values, v)
        found = squeeze(matrix_solve(left_hand + own, expand_dims(right_hand, -1)), [2])
    step = _written(left, numbers, found)

    approximate = reduce_sum(gather(found, line) * gather(v, column), 1)
    residuals = square(values - approximate)
    own_gramian = matmul(found, found, transpose_a=True)
    scale = left.count / cast(count, dtypes.float32)
    elsewhere = trace(matmul(own_gramian, gramian)) - reduce_sum(square(approximate))
    loss = unobserved * (reduce_sum(residuals) + elsewhere) + reduce_sum(of_values * residuals)
    penalty: Any = constant(0.0)
    if regularization is not None:
        penalty = regularization * (trace(own_gramian) * scale + trace(gramian))
    total = constant(unobserved * left.count * right.count) + reduce_sum(of_values) * scale
    return found, step, loss * scale, penalty, total


def _weights(side: Side, numbers: Any, count: Any, given: Any) -> Any:
    if given is None:
        return embedding_lookup(side.read_weights, numbers, partition_strategy="div")
    given = cast(convert_to_tensor(given), dtypes.float32)
    return ones(expand_dims(count, 0)) * given


def _written(side: Side, numbers: Any, values: Any) -> Any:
    """The operation that writes lines into the parts that they belong to."""
    name, parts = f"{side.name}_update", side.factors
    if len(parts) == 1:
        with colocate_with(parts[0]):
            return scatter_update(parts[0], numbers, values, name=name).op
    size, more = divmod(side.count, len(parts))
    part = maximum(numbers // (size + 1), (numbers - more) // size)
    own = where(less(part, more), numbers % (size + 1), (numbers - more) % size)
    of_part = cast(part, dtypes.int32)
    rows = dynamic_partition(own, of_part, len(parts))
    cut = dynamic_partition(values, of_part, len(parts))
    return group(*(scatter_update(*each) for each in zip(parts, rows, cut, strict=True)), name=name)
