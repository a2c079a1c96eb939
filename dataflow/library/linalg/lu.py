"""What LU decompositions are good for: the matrix again, its inverse, systems of equations."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import assert_equal
from dataflow.ops.array.broadcast import broadcast_dynamic_shape, broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.sorting import argsort
from dataflow.ops.array.transpose import invert_permutation
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.diag import eye, matrix_band_part, matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.values import dtypes

_RANK = "Input `lower_upper` must have at least 2 dimensions."
_SQUARE = "`lower_upper` must be square."
_SAME_RANK = "`rank(lower_upper)` must equal `rank(perm) + 1`"


def _checks(lower_upper: Tensor, perm: Tensor, validate_args: bool) -> list[Any]:
    """Checks of a decomposition: those that building can make are made, the others are returned.

    Raises:
      ValueError: Building finds that it is none.
    """
    found = []
    rank, places = lower_upper.shape.rank, perm.shape.rank
    if rank is not None:
        if rank < 2:
            raise ValueError(_RANK)
        if places is not None and places + 1 != rank:
            raise ValueError(_SAME_RANK)
        last = (lower_upper.shape.dims_tuple or ())[-2:]
        if None not in last and last[0] != last[1]:
            raise ValueError(_SQUARE)
    if validate_args and (rank is None or places is None):
        found.append(assert_rank_at_least(lower_upper, rank=2, message=_RANK))
        one_more: Any = array_shape.rank(perm)
        found.append(assert_equal(array_shape.rank(lower_upper), one_more + 1, message=_SAME_RANK))
    if validate_args and not lower_upper.shape[-2:].is_fully_defined():
        sizes: Any = array_shape.shape(lower_upper)
        found.append(assert_equal(sizes[-2], sizes[-1], message=_SQUARE))
    return found


def _decomposition(
    lower_upper: Any, perm: Any, validate_args: bool
) -> tuple[Tensor, Tensor, list[Any]]:
    lower_upper = convert_to_tensor(lower_upper, dtype_hint=dtypes.float32, name="lower_upper")
    perm = convert_to_tensor(perm, dtype_hint=dtypes.int32, name="perm")
    return lower_upper, perm, _checks(lower_upper, perm, validate_args)


def _lower(lower_upper: Any) -> Tensor:
    """The lower factor: its diagonal, of ones, is not stored."""
    sizes: Any = array_shape.shape(lower_upper)
    ones = array_fill.ones(sizes[:-1], dtype=lower_upper.dtype)
    return matrix_set_diag(matrix_band_part(lower_upper, num_lower=-1, num_upper=0), ones)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices of which `tf.linalg.lu` has made `lower_upper` and `perm`.

    Args:
      lower_upper: Both factors in one, shape `[..., n, n]`.
      perm: The order of the rows, shape `[..., n]`.
      validate_args: Whether to check in the step what building cannot know.
      name: Name of the scope of the operations.
    """
    with name_scope(name or "lu_reconstruct"):
        lower_upper, perm, checks = _decomposition(lower_upper, perm, validate_args)
        if checks:
            lower_upper = with_dependencies(checks, lower_upper)
        upper = matrix_band_part(lower_upper, num_lower=0, num_upper=-1)
        product = matmul(_lower(lower_upper), upper)
        if perm.shape.rank == 1:
            rows = gather(product, invert_permutation(perm))
        else:
            rows = _gathered(product, _inverses(perm))
        rows.set_shape(lower_upper.shape)
        return rows


def _inverses(perm: Any) -> Tensor:
    """The inverse permutations of a batch: sorting by place."""
    return argsort(perm, axis=-1)


def _gathered(matrix: Any, places: Any) -> Tensor:
    """Rows of each matrix of a batch: batches are joined to one."""
    sizes: Any = array_shape.shape(matrix)
    flat = array_shape.reshape(matrix, concat([[-1], sizes[-2:]], 0))
    rows = array_shape.reshape(places, concat([[-1], sizes[-2:-1]], 0))
    return array_shape.reshape(gather(flat, rows, batch_dims=1), sizes)


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Solves A X = rhs, where `tf.linalg.lu(A)` is given.

    Args:
      lower_upper: Both factors in one, shape `[..., n, n]`.
      perm: The order of the rows, shape `[..., n]`.
      rhs: Shape `[..., n, k]`; batches broadcast.
      validate_args: Whether to check in the step what building cannot know.
      name: Name of the scope of the operations.
    """
    with name_scope(name or "lu_solve"):
        lower_upper, perm, checks = _decomposition(lower_upper, perm, validate_args)
        rhs = convert_to_tensor(rhs, dtype_hint=lower_upper.dtype, name="rhs")
        checks += _checks_of_rhs(lower_upper, rhs, validate_args)
        if checks:
            lower_upper, perm, rhs = (
                with_dependencies(checks, each) for each in (lower_upper, perm, rhs)
            )
        if rhs.shape.rank == 2 and perm.shape.rank == 1:
            ordered = gather(rhs, perm, axis=-2)
        else:
            sizes: Any = array_shape.shape(rhs)
            order_sizes: Any = array_shape.shape(perm)
            batch = broadcast_dynamic_shape(sizes[:-2], order_sizes[:-1])
            rhs = broadcast_to(rhs, concat([batch, sizes[-2:]], 0))
            perm = broadcast_to(perm, concat([batch, order_sizes[-1:]], 0))
            ordered = _gathered(rhs, perm)
        return matrix_triangular_solve(
            lower_upper,
            matrix_triangular_solve(_lower(lower_upper), ordered),
            lower=False,
        )


def _checks_of_rhs(lower_upper: Tensor, rhs: Tensor, validate_args: bool) -> list[Any]:
    message = "Input `rhs` must have at least 2 dimensions."
    found: list[Any] = []
    if rhs.shape.rank is not None:
        if rhs.shape.rank < 2:
            raise ValueError(message)
    elif validate_args:
        found.append(assert_rank_at_least(rhs, rank=2, message=message))
    message = "`lower_upper.shape[-1]` must equal `rhs.shape[-1]`."
    known = rhs.shape.rank is not None and lower_upper.shape.rank is not None
    if known and None not in (lower_upper.shape.as_list()[-1], rhs.shape.as_list()[-2]):
        if lower_upper.shape.as_list()[-1] != rhs.shape.as_list()[-2]:
            raise ValueError(message)
    elif validate_args:
        sizes: Any = array_shape.shape(rhs)
        own: Any = array_shape.shape(lower_upper)
        found.append(assert_equal(own[-1], sizes[-2], message=message))
    return found


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices whose `tf.linalg.lu` is given.

    Args:
      lower_upper: Both factors in one, shape `[..., n, n]`.
      perm: The order of the rows, shape `[..., n]`.
      validate_args: Whether to check in the step what building cannot know.
      name: Name of the scope of the operations.
    """
    with name_scope(name or "lu_matrix_inverse"):
        lower_upper, perm, checks = _decomposition(lower_upper, perm, validate_args)
        if checks:
            lower_upper = with_dependencies(checks, lower_upper)
        sizes: Any = array_shape.shape(lower_upper)
        unit = eye(sizes[-1], batch_shape=sizes[:-2], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, rhs=unit, validate_args=False)
