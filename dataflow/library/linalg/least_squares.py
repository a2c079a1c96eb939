"""tf.matrix_solve_ls: systems of equations in the sense of least squares."""

from __future__ import annotations

import math
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.cholesky import cholesky_solve
from dataflow.ops.linalg.least_squares import gramian_factor
from dataflow.ops.linalg.matmul import matmul
from dataflow.values import dtypes

_CACHE: Final = 256000
"""Bytes of a batch above which one op for all goes before several."""


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solves min |matrix X - rhs|^2 + l2_regularizer |X|^2; the smallest of many solutions.

    Args:
      matrix: Float or complex, shape `[..., m, n]`.
      rhs: Of the same type, shape `[..., m, k]`.
      l2_regularizer: A scalar, 0 or more; it does not count unless `fast`.
      fast: Solves the normal equations with a Cholesky decomposition, which needs matrices that are
        not close to losing rank. Otherwise it is done by an orthogonal decomposition.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., n, k]`.

    Raises:
      NotImplementedError: For complex128 with a regularizer, as in TensorFlow.
    """
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
        matrix = convert_to_tensor(matrix, name="matrix")
        is_regular = isinstance(l2_regularizer, Tensor) or l2_regularizer != 0
        if matrix.dtype == dtypes.complex128 and is_regular:
            raise NotImplementedError(
                "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due "
                "to poor accuracy."
            )
        if not (fast and _is_small(matrix)):
            return single("MatrixSolveLs", matrix, rhs, l2_regularizer, fast=fast)
        if not isinstance(l2_regularizer, Tensor) and is_regular:
            l2_regularizer = convert_to_tensor(
                l2_regularizer, dtype=matrix.dtype.real_dtype, name="l2_regularizer"
            )
        if isinstance(l2_regularizer, Tensor) and l2_regularizer.dtype != matrix.dtype:
            l2_regularizer = single("Cast", l2_regularizer, DstT=matrix.dtype)
        sides = None if matrix.shape.rank is None else matrix.shape.as_list()[-2:]
        if sides is not None and None not in sides:
            solve = _of_tall if sides[0] >= sides[1] else _of_wide
            return solve(matrix, rhs, l2_regularizer)
        sizes: Any = array_shape.shape(matrix)
        found: Tensor = cond(
            sizes[-2] >= sizes[-1],
            lambda: _of_tall(matrix, rhs, l2_regularizer),
            lambda: _of_wide(matrix, rhs, l2_regularizer),
        )
        return found


def _is_small(matrix: Tensor) -> bool:
    """Whether the matrices, if their shape is known, are few or stay in a cache."""
    if not matrix.shape.is_fully_defined():
        return True
    dims = matrix.shape.as_list()
    if len(dims) < 2:
        return False
    sizes: list[int] = [size or 0 for size in dims]
    is_large = math.prod(sizes) * matrix.dtype.size > _CACHE
    return not (is_large and math.prod(sizes[:-2]) > min(sizes[-2:]))


def _of_tall(matrix: Any, rhs: Any, l2: Any) -> Tensor:
    factor = gramian_factor(matrix, l2, of_columns=True)
    return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))


def _of_wide(matrix: Any, rhs: Any, l2: Any) -> Tensor:
    factor = gramian_factor(matrix, l2, of_columns=False)
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)
