"""Lanczos bidiagonalization (Golub and Kahan, 1965)."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.contrib.solvers.operators import l2norm, l2normalize
from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims, shape, squeeze
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes

_SHRINKS = 0.7071
"""A vector that loses more of its length must be made orthogonal once more."""


class LanczosBidiagState(NamedTuple):
    """A V = U B, with a lower bidiagonal B."""

    u: Any
    """[rows, k + 1], whose columns are orthonormal."""
    v: Any
    """[columns, k], the same."""
    alpha: Any
    """The diagonal of B, [k]."""
    beta: Any
    """What stands below it, [k]."""


def lanczos_bidiag(
    operator: Any,
    k: Any,
    orthogonalize: bool = True,
    starting_vector: Any = None,
    name: str = "lanczos_bidiag",
) -> LanczosBidiagState:
    """Bidiagonalizes a matrix.

    Args:
      operator: Has `shape`, `dtype`, and `apply` and `apply_adjoint`, which multiply a column.
      k: How many steps are taken.
      orthogonalize: Whether vectors are made orthogonal to all before.
      starting_vector: The first column of U before it is normalized, [rows, 1]; random if None.
      name: The name scope.
    """
    with name_scope(name):
        kind = operator.dtype
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, dtype=kind)
        first, _ = l2normalize(starting_vector)

        def array(name: str, size: Any) -> TensorArray:
            return TensorArray(kind, size, tensor_array_name=name, clear_after_read=False)

        def step(i: Any, state: LanczosBidiagState) -> Any:
            u = _column(state.u, i)
            left = operator.apply_adjoint(u)
            known = left.shape
            left = cond(
                i > 0,
                lambda: left - state.beta.read(i - 1) * _column(state.v, i - 1),
                lambda: left,
            )
            left.set_shape(known)
            v, alpha = _next(left, i - 1, state.v, orthogonalize)
            u, beta = _next(operator.apply(v) - alpha * u, i, state.u, orthogonalize)
            return i + 1, LanczosBidiagState(
                state.u.write(i + 1, squeeze(u)),
                state.v.write(i, squeeze(v)),
                state.alpha.write(i, alpha),
                state.beta.write(i, beta),
            )

        begin = LanczosBidiagState(
            array("u", k + 1).write(0, squeeze(first)),
            array("v", k),
            array("alpha", k),
            array("beta", k),
        )
        _, end = while_loop(lambda i, _: i < k, step, [constant(0, dtypes.int32), begin])
        return LanczosBidiagState(
            matrix_transpose(end.u.stack()),
            matrix_transpose(end.v.stack()),
            end.alpha.stack(),
            end.beta.stack(),
        )


def bidiag_matmul(
    matrix: Any, alpha: Any, beta: Any, adjoint_b: bool = False, name: str = "bidiag_matmul"
) -> Tensor:
    """The product of a matrix and a lower bidiagonal one.

    Args:
      matrix: [rows, k + 1], or [rows, k] with `adjoint_b`.
      alpha: The diagonal, [k].
      beta: What stands below it, [k].
      adjoint_b: Whether the product is that of the adjoint of the second, without its last column.
      name: The name scope.
    """
    with name_scope(name):
        alpha = expand_dims(alpha, 0)
        if not adjoint_b:
            found: Tensor = matrix[:, :-1] * alpha + matrix[:, 1:] * expand_dims(beta, 0)
            return found
        nothing = zeros([shape(matrix)[0], 1], dtype=matrix.dtype)
        below = matrix[:, :-1] * expand_dims(beta[:-1], 0)
        product: Tensor = matrix * alpha + concat([nothing, below], 1)
        return product


def _column(array: TensorArray, i: Any) -> Tensor:
    return expand_dims(array.read(i), -1)


def _next(v: Tensor, last: Any, basis: TensorArray, orthogonalize: bool) -> Any:
    """The vector with length 1, made orthogonal to those up to `last`, and its length before."""
    if not orthogonalize:
        return l2normalize(v)
    once, length = _orthogonal(v, last, basis)
    return cond(
        length < _SHRINKS * l2norm(v),
        lambda: _orthogonal(once, last, basis, length),
        lambda: (once, length),
    )


def _orthogonal(v: Tensor, last: Any, basis: TensorArray, scale: Any = None) -> Any:
    def step(j: Any, v: Tensor) -> Any:
        of_basis = _column(basis, j)
        left = v - matmul(of_basis, v, adjoint_a=True) * of_basis
        left.set_shape(v.shape)
        return j + 1, left

    _, found = while_loop(lambda j, _: j < last, step, [constant(0, dtypes.int32), v])
    unit, length = l2normalize(found)
    return unit, length if scale is None else length * scale
