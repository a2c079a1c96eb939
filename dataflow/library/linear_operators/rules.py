"""What the product of two operators is, where their structure tells: diagonals stay diagonal."""

from __future__ import annotations

from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.block_diagonal import LinearOperatorBlockDiag
from dataflow.library.linear_operators.circulant import CirculantOperator
from dataflow.library.linear_operators.composition import LinearOperatorComposition
from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular
from dataflow.library.linear_operators.diagonal import DiagonalOperator, LinearOperatorDiag
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from dataflow.library.linear_operators.pieces import both
from dataflow.library.linear_operators.wrapped import LinearOperatorInversion
from dataflow.library.linear_operators.zeros import LinearOperatorZeros


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators whose sizes fit, as one operator."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    if isinstance(left, LinearOperatorInversion) and left.operator is right:
        return LinearOperatorIdentity(
            right.range_dimension_tensor(), right.batch_shape_tensor(), right.dtype
        )
    for zeros in (left, right):
        if isinstance(zeros, LinearOperatorZeros):
            if left.is_square and right.is_square:
                return zeros
            raise ValueError(
                "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
                "supported at this time."
            )
    non_singular = both(left.is_non_singular, right.is_non_singular)
    square = both(left.is_square, right.is_square)
    scaled = LinearOperatorScaledIdentity
    if isinstance(left, scaled) and isinstance(right, scaled):
        return scaled(
            left.range_dimension_tensor(),
            left.multiplier * right.multiplier,
            is_non_singular=non_singular,
        )
    if isinstance(left, DiagonalOperator) and isinstance(right, DiagonalOperator):
        return LinearOperatorDiag(
            left.diag_part() * right.diag_part(),
            is_non_singular=non_singular,
            is_positive_definite=None
            if left.dtype.is_complex
            else both(left.is_positive_definite, right.is_positive_definite),
            is_square=True,
        )
    triangular = DiagonalOperator | LinearOperatorLowerTriangular
    if isinstance(left, triangular) and isinstance(right, triangular):
        return LinearOperatorLowerTriangular(
            left.matmul(right.to_dense()), is_non_singular=non_singular, is_square=True
        )
    if isinstance(left, CirculantOperator) and type(left) is type(right):
        return type(left)(
            left.spectrum * right.spectrum,
            left.dtype,
            is_non_singular=non_singular,
            # They commute.
            is_self_adjoint=both(left.is_self_adjoint, right.is_self_adjoint),
            is_positive_definite=both(left.is_positive_definite, right.is_positive_definite),
        )
    of_blocks = LinearOperatorBlockDiag
    if isinstance(left, of_blocks) and isinstance(right, of_blocks) and _blocks_meet(left, right):
        return of_blocks(
            [one @ other for one, other in zip(left.operators, right.operators, strict=True)],
            is_non_singular=non_singular,
            is_square=square,
        )
    return LinearOperatorComposition([left, right], is_non_singular=non_singular, is_square=square)


def _blocks_meet(left: LinearOperatorBlockDiag, right: LinearOperatorBlockDiag) -> bool:
    """Whether each block is known to have as many columns as the other's has rows."""
    columns = [each.domain_dimension.value for each in left.operators]
    rows = [each.range_dimension.value for each in right.operators]
    return None not in columns and columns == rows
