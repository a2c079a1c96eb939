"""tensorflow.python.ops.linalg.linear_operator_util: what operators elsewhere are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.linear_operators.checks import (
    assert_compatible_matrix_dimensions as assert_compatible_matrix_dimensions,
)
from dataflow.library.linear_operators.checks import (
    assert_no_entries_with_modulus_zero as assert_no_entries_with_modulus_zero,
)
from dataflow.library.linear_operators.checks import assert_not_ref_type as assert_not_ref_type
from dataflow.library.linear_operators.checks import assert_zero_imag_part as assert_zero_imag_part
from dataflow.library.linear_operators.checks import base_dtype as base_dtype
from dataflow.library.linear_operators.checks import (
    convert_nonref_to_tensor as convert_nonref_to_tensor,
)
from dataflow.library.linear_operators.checks import dtype_name as dtype_name
from dataflow.library.linear_operators.checks import is_ref as is_ref
from dataflow.library.linear_operators.pieces import (
    common_batch_tensor,
    solve_dense,
    solve_triangular,
)
from dataflow.library.linear_operators.pieces import shape_tensor as _shape_of
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.values import dtypes


def assert_is_batch_matrix(tensor: Any) -> None:
    """Refuses what is known to be no matrix.

    Raises:
      ValueError: Its rank is under 2.
    """
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError(
            f"Expected [batch] matrix to have at least two dimensions.  Found: {tensor}"
        )


def shape_tensor(shape: Any, name: str | None = None) -> Tensor:
    """A shape as a tensor, of int32 where it is an empty list."""
    empty = isinstance(shape, (tuple, list)) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int32 if empty else None, name=name)


def broadcast_matrix_batch_dims(
    batch_matrices: Sequence[Any], name: str | None = None
) -> list[Tensor]:
    """Matrices with one batch shape, that theirs broadcast to.

    Raises:
      ValueError: One is no matrix, or their batches do not broadcast.
    """
    with name_scope(name, "broadcast_matrix_batch_dims", list(batch_matrices)):
        matrices = [convert_to_tensor(each) for each in batch_matrices]
        for each in matrices:
            assert_is_batch_matrix(each)
        if len(matrices) < 2:
            return matrices
        sizes = [_shape_of(each) for each in matrices]
        batch = common_batch_tensor([size[:-2] for size in sizes])
        return [
            broadcast_to(each, concat([batch, size[-2:]], 0))
            for each, size in zip(matrices, sizes, strict=True)
        ]


def matrix_solve_with_broadcast(
    matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`tf.linalg.solve` whose batches broadcast."""
    with name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        return solve_dense(convert_to_tensor(matrix), convert_to_tensor(rhs), adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`tf.linalg.triangular_solve` whose batches broadcast."""
    with name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        return solve_triangular(convert_to_tensor(matrix), convert_to_tensor(rhs), lower, adjoint)


def cholesky_solve_with_broadcast(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """`tf.linalg.cholesky_solve` whose batches broadcast."""
    with name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        chol = convert_to_tensor(chol)
        halfway = solve_triangular(chol, convert_to_tensor(rhs))
        return solve_triangular(chol, halfway, adjoint=True)


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """What an operator says of itself, or else what a program says of it.

    Raises:
      ValueError: They contradict each other.
    """
    own = getattr(operator, hint_attr_name)
    if own is None or provided_hint_value is None:
        return provided_hint_value if own is None else own
    if bool(own) != bool(provided_hint_value):
        raise ValueError(message)
    return bool(own)
