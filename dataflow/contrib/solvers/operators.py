"""Operators of matrices, and products and norms of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import shape
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.complex import conj
from dataflow.ops.math.unary import sqrt
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import l2_loss
from dataflow.values.dtypes import DType


class LinearOperator(NamedTuple):
    """What solvers ask of a matrix."""

    shape: Any
    """[rows, columns], a list or a tensor."""
    dtype: DType
    apply: Callable[[Any], Any]
    """Its product with columns."""
    apply_adjoint: Callable[[Any], Any]
    """The product of its adjoint."""


def create_operator(matrix: Tensor) -> LinearOperator:
    """The operator of a matrix."""
    return LinearOperator(
        _sizes(matrix),
        matrix.dtype,
        lambda columns: matmul(matrix, columns),
        lambda columns: matmul(matrix, columns, adjoint_a=True),
    )


def identity_operator(matrix: Tensor) -> LinearOperator:
    """The operator that changes nothing, with a matrix's shape."""
    return LinearOperator(_sizes(matrix), matrix.dtype, lambda v: v, lambda v: v)


def dot(x: Any, y: Any) -> Tensor:
    """The inner product of vectors."""
    return reduce_sum(conj(x) * y)


def l2norm_squared(v: Any) -> Tensor:
    """The square of the length of a vector."""
    return 2 * l2_loss(v)


def l2norm(v: Any) -> Tensor:
    """The length of a vector."""
    return sqrt(l2norm_squared(v))


def l2normalize(v: Any) -> tuple[Tensor, Tensor]:
    """A vector with length 1, and its length before."""
    length = l2norm(v)
    return v / length, length


def _sizes(matrix: Tensor) -> Any:
    return matrix.shape.as_list() if matrix.shape.is_fully_defined() else shape(matrix)
