"""tf.contrib.solvers: solutions against numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import solvers

RANDOM = np.random.RandomState(1)
KINDS = [np.float32, np.float64]


def placed(matrix: Any, static: bool) -> Any:
    return tf.constant(matrix) if static else tf.placeholder_with_default(matrix, [None, None])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("preconditioned", [True, False])
def test_conjugate_gradients(kind: Any, static: bool, preconditioned: bool) -> None:
    root = RANDOM.uniform(-1, 1, [6, 6])
    matrix = (root @ root.T + np.eye(6)).astype(kind)
    rhs, guess = RANDOM.uniform(-1, 1, [2, 6]).astype(kind)
    with tf.Graph().as_default(), tf.Session() as session:
        operator = solvers.util.create_operator(placed(matrix, static))
        near = None
        if preconditioned:
            near = solvers.util.create_operator(tf.constant(np.diag(1 / np.diag(matrix))))
        for start in (None, guess):
            state = solvers.linear_equations.conjugate_gradient(
                operator, rhs, near, start, tol=1e-6, max_iter=20
            )
            found = session.run(state)
            np.testing.assert_allclose(found.x, np.linalg.solve(matrix, rhs), atol=1e-4)
            np.testing.assert_allclose(found.r, rhs - matrix @ found.x, atol=1e-4)
            assert 1 < found.i <= 20


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("sizes", [(4, 4), (7, 4), (4, 7)])
def test_least_squares(kind: Any, static: bool, sizes: tuple[int, int]) -> None:
    matrix = RANDOM.uniform(-1, 1, sizes).astype(kind)
    rhs = RANDOM.uniform(-1, 1, sizes[0]).astype(kind)
    with tf.Graph().as_default(), tf.Session() as session:
        operator = solvers.util.create_operator(placed(matrix, static))
        found = session.run(solvers.least_squares.cgls(operator, rhs, tol=1e-6, max_iter=50))
    expected = np.linalg.lstsq(matrix, rhs, rcond=None)[0]
    np.testing.assert_allclose(matrix @ found.x, matrix @ expected, atol=1e-3)
    np.testing.assert_allclose(found.r, rhs - matrix @ found.x, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("orthogonalize", [True, False])
def test_bidiagonals(kind: Any, orthogonalize: bool) -> None:
    matrix = RANDOM.uniform(-1, 1, [7, 5]).astype(kind)
    start = np.ones([7, 1], kind)
    with tf.Graph().as_default(), tf.Session() as session:
        operator = solvers.util.create_operator(tf.constant(matrix))
        state = solvers.lanczos.lanczos_bidiag(operator, 3, orthogonalize, start)
        right = solvers.lanczos.bidiag_matmul(state.u, state.alpha, state.beta)
        left = solvers.lanczos.bidiag_matmul(state.v, state.alpha, state.beta, adjoint_b=True)
        found, after, before = session.run([state, right, left])
        drawn = session.run(solvers.lanczos.lanczos_bidiag(operator, 2).u)
    np.testing.assert_allclose(found.u[:, 0], np.full(7, 7**-0.5), rtol=1e-5)
    np.testing.assert_allclose(found.u.T @ found.u, np.eye(4), atol=1e-5)
    np.testing.assert_allclose(found.v.T @ found.v, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(matrix @ found.v, after, atol=1e-5)
    np.testing.assert_allclose(matrix.T @ found.u[:, :-1], before, atol=1e-5)
    np.testing.assert_allclose(drawn.T @ drawn, np.eye(3), atol=1e-5)


def test_vectors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        util = solvers.util
        v = tf.constant([[3.0], [4.0]])
        unit, length = session.run(util.l2normalize(v))
        assert (list(unit[:, 0]), length) == ([pytest.approx(0.6), pytest.approx(0.8)], 5.0)
        assert session.run(util.dot(tf.constant([1j]), tf.constant([1j]))) == 1.0
        same = util.identity_operator(tf.zeros([2, 2]))
        assert (same.shape, same.apply(v), same.apply_adjoint(v)) == ([2, 2], v, v)
