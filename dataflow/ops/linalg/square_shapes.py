"""Shape functions of ops on batches of matrices."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import Size, size_at, subshape, vector
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import merge, merge_dim, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape


def batch_and(batch: TensorShape, *sizes: Size) -> TensorShape:
    """The shape of a batch of vectors or matrices."""
    return batch.concatenate(TensorShape.of(sizes))


def square(shape: TensorShape, last_first: bool = False) -> tuple[TensorShape, Size]:
    """The batch and the size of square matrices.

    Args:
      shape: Their shape.
      last_first: Names the last size first where they differ.

    Raises:
      ValueError: They are known not to be square.
    """
    shape = with_rank_at_least(shape, 2)
    rows, columns = size_at(shape, -2), size_at(shape, -1)
    size = merge_dim(columns, rows) if last_first else merge_dim(rows, columns)
    return subshape(shape, 0, -2), size


def square_unchanged(c: InferenceContext) -> TensorShape:
    """The output has the shape of the input, which is square."""
    batch, size = square(c.input(0))
    return batch_and(batch, size, size)


def of_each_square(c: InferenceContext) -> list[TensorShape]:
    """Each output has a number for each matrix."""
    batch, _ = square(c.input(0), last_first=True)
    return [batch] * c.num_outputs


def eigen(c: InferenceContext) -> list[TensorShape]:
    """Values for each matrix, and vectors if they are asked for."""
    batch, size = square(c.input(0))
    vectors = batch_and(batch, size, size) if c.attr("compute_v") else vector(0)
    return [batch_and(batch, size), vectors]


def solve(c: InferenceContext) -> TensorShape:
    """Of square systems: batches are equal."""
    return _solution(c, is_square=True)


def solve_least_squares(c: InferenceContext) -> TensorShape:
    """Of systems of any size: batches are equal."""
    with_rank(c.input(2), 0)
    return _solution(c, is_square=False)


def _solution(c: InferenceContext, is_square: bool) -> TensorShape:
    matrix, rhs = (with_rank_at_least(c.input(i), 2) for i in range(2))
    rows, columns = size_at(matrix, -2), size_at(matrix, -1)
    if is_square:
        rows = columns = merge_dim(rows, columns)
    batch = merge(subshape(matrix, 0, -2), subshape(rhs, 0, -2))
    rows = merge_dim(rows, size_at(rhs, -2))
    return batch_and(batch, rows if is_square else columns, size_at(rhs, -1))
