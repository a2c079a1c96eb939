"""Conjugate gradients (Hestenes and Stiefel, 1952)."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.contrib.solvers.operators import dot
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.norm import norm
from dataflow.ops.math.compare import logical_and
from dataflow.values import dtypes


class CGState(NamedTuple):
    """What conjugate gradients have found."""

    i: Any
    """How many steps were taken."""
    x: Any
    """The solution."""
    r: Any
    """What is left: rhs - A x."""
    p: Any
    """The direction of the next step."""
    gamma: Any
    """The square of the length of what is left, as the preconditioner sees it."""


def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-4,
    max_iter: Any = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves A x = rhs, for a matrix A that is self-adjoint and positive definite.

    Args:
      operator: Has `shape` [n, n] and `apply`, which gives A's product with a column.
      rhs: A vector [n].
      preconditioner: The same for a matrix near A's inverse.
      x: Where to begin, a vector [n]; zero if None.
      tol: Ends when what is left has become so many times smaller.
      max_iter: How many steps at most.
      name: The name scope.
    """
    with name_scope(name):
        rhs = expand_dims(convert_to_tensor(rhs), -1)
        if x is None:
            start = expand_dims(zeros(operator.shape[1:], rhs.dtype.base_dtype), -1)
            left = rhs
        else:
            start = expand_dims(convert_to_tensor(x), -1)
            left = rhs - operator.apply(start)
        precondition = (lambda v: v) if preconditioner is None else preconditioner.apply
        along = precondition(left)
        least = tol * norm(left)

        def goes_on(i: Any, state: CGState) -> Any:
            return logical_and(i < max_iter, norm(state.r) > least)

        def step(i: Any, state: CGState) -> Any:
            moved = operator.apply(state.p)
            alpha = state.gamma / dot(state.p, moved)
            left = state.r - alpha * moved
            found = precondition(left)
            gamma = dot(left, found)
            along = found + gamma / state.gamma * state.p
            return i + 1, CGState(i + 1, state.x + alpha * state.p, left, along, gamma)

        first = constant(0, dtypes.int32)
        state = CGState(first, start, left, along, dot(left, along))
        _, state = while_loop(goes_on, step, [first, state])
        return CGState(state.i, squeeze(state.x), squeeze(state.r), squeeze(state.p), state.gamma)
