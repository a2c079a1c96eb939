"""Least squares by conjugate gradients of the normal equations (CGLS; Björck, 1996)."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.contrib.solvers.operators import l2norm_squared
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import logical_and
from dataflow.values import dtypes


class CGLSState(NamedTuple):
    """What has been found."""

    i: Any
    """How many steps were taken."""
    x: Any
    """The solution."""
    r: Any
    """What is left: rhs - A x."""
    p: Any
    """The direction of the next step."""
    gamma: Any
    """The square of the length of A' r."""


def cgls(
    operator: Any, rhs: Any, tol: float = 1e-6, max_iter: Any = 20, name: str = "cgls"
) -> CGLSState:
    """The x for which the length of rhs - A x is the least.

    Args:
      operator: Has `shape` [m, n], `apply` and `apply_adjoint`, which give products with a column.
      rhs: A vector [m].
      tol: Ends when A' (rhs - A x) has become so many times shorter.
      max_iter: How many steps at most.
      name: The name scope.
    """
    with name_scope(name):
        rhs = expand_dims(convert_to_tensor(rhs), -1)
        along = operator.apply_adjoint(rhs)
        gamma = l2norm_squared(along)
        least = tol * tol * gamma

        def goes_on(i: Any, state: CGLSState) -> Any:
            return logical_and(i < max_iter, state.gamma > least)

        def step(i: Any, state: CGLSState) -> Any:
            moved = operator.apply(state.p)
            alpha = state.gamma / l2norm_squared(moved)
            left = state.r - alpha * moved
            found = operator.apply_adjoint(left)
            gamma = l2norm_squared(found)
            along = found + gamma / state.gamma * state.p
            return i + 1, CGLSState(i + 1, state.x + alpha * state.p, left, along, gamma)

        first = constant(0, dtypes.int32)
        start = expand_dims(zeros(operator.shape[1:], rhs.dtype.base_dtype), -1)
        state = CGLSState(first, start, rhs, along, gamma)
        _, state = while_loop(goes_on, step, [first, state])
        return CGLSState(state.i, squeeze(state.x), squeeze(state.r), squeeze(state.p), state.gamma)
