"""tf.contrib.constrained_optimization: projections against numpy's, steps against the numbers of
TensorFlow 1.15's tests, and problems whose answers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import dataflow as tf
from dataflow.contrib import constrained_optimization as co
from dataflow.contrib.constrained_optimization import projections

RANDOM = np.random.RandomState(12)


class Problem(co.ConstrainedMinimizationProblem):
    def __init__(
        self, objective: Any, constraints: Any, proxies: Any = None, before: Any = None
    ) -> None:
        self._objective, self._constraints = objective, constraints
        self._proxies, self._before = proxies, before

    @property
    def objective(self) -> Any:
        return self._objective

    @property
    def constraints(self) -> Any:
        return self._constraints

    @property
    def proxy_constraints(self) -> Any:
        return self._proxies

    @property
    def pre_train_ops(self) -> Any:
        return self._before


def nearest(values: Any, radius: float, exact: bool) -> Any:
    """The nearest numbers that are not negative with a sum of `radius`, or at most that."""
    if not exact and np.maximum(values, 0).sum() <= radius:
        return np.maximum(values, 0)
    shift = scipy.optimize.brentq(
        lambda x: np.maximum(values - x, 0).sum() - radius, values.min() - radius, values.max()
    )
    return np.maximum(values - shift, 0)


@pytest.mark.parametrize("radius", [0.3, 1.0, 40.0])
def test_projections(radius: float) -> None:
    values = RANDOM.normal(size=9).astype(np.float32)
    matrix = RANDOM.normal(size=[6, 6]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(projections.onto_ball(tf.constant(values), radius))
        columns = session.run(projections.onto_distributions(tf.constant(matrix)))
        logs = session.run(projections.onto_log_distributions(tf.constant(matrix)))
        positive = columns + np.float32(0.01)
        vector = session.run(projections.maximal_eigenvector(tf.constant(positive)))
    np.testing.assert_allclose(found, nearest(values, radius, False), atol=1e-5)
    expected = np.stack([nearest(column, 1.0, True) for column in matrix.T], 1)
    np.testing.assert_allclose(columns, expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(logs), np.exp(matrix) / np.exp(matrix).sum(0), rtol=1e-5)
    kinds, vectors = np.linalg.eig(positive)
    largest = np.abs(vectors[:, np.argmax(np.abs(kinds))])
    np.testing.assert_allclose(np.abs(vector), largest, atol=1e-4)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: projections.onto_ball(tf.constant([1]), 1), "floating-point dtype"),
        (lambda: projections.onto_ball(tf.zeros([2, 2]), 1), "one dimensional .instead is 2-"),
        (lambda: projections.onto_ball(tf.placeholder(tf.float32), 1), "must have known shape"),
        (
            lambda: projections.onto_ball(tf.placeholder(tf.float32, [None]), 1),
            "must have fully-known shape",
        ),
        (lambda: projections.onto_distributions(tf.zeros([2])), "two dimensional"),
        (lambda: projections.onto_distributions(tf.zeros([2, 3])), r"has shape \(2,3\)"),
        (lambda: projections.maximal_eigenvector(tf.zeros([2, 2]), 0.0), "epsilon must be"),
        (
            lambda: projections.maximal_eigenvector(tf.zeros([2, 2]), 1.0, 0),
            "maximum_iterations must be",
        ),
        (lambda: co.AdditiveExternalRegretOptimizer(None, None, -1.0), "strictly positive"),
        (lambda: co.MultiplicativeSwapRegretOptimizer(None, None, 0.0), r"the range \(0,1\)"),
        (lambda: co.MultiplicativeSwapRegretOptimizer(None, None, 0.5, 0.1), "initial_multiplier"),
        (
            lambda: Problem(None, tf.zeros([2]), tf.zeros([3])).num_constraints,
            "must have the same shape",
        ),
        (
            lambda: Problem(None, tf.placeholder(tf.float32)).num_constraints,
            "must have fully-known shapes",
        ),
        (
            lambda: co.AdditiveSwapRegretOptimizer(None).minimize(
                Problem(None, tf.zeros([2])), unconstrained_steps=3
            ),
            "global_step cannot be None",
        ),
        (
            lambda: co.AdditiveSwapRegretOptimizer(None).minimize(
                Problem(tf.constant(1.0), tf.zeros([2], tf.float64))
            ),
            "must have the same dtype",
        ),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        call()


def states(make: Any, steps: int) -> list[Any]:
    """The weights after each step, for constraints that never change."""
    with tf.Graph().as_default(), tf.Session() as session:
        objective = tf.Variable(0.0)
        problem = Problem(objective, tf.constant([0.6, -0.1, 0.4]))
        step = make(tf.train.GradientDescentOptimizer(1.0)).minimize_constrained(problem)
        (state,) = [each for each in tf.global_variables() if each.op.name.endswith("_state")]
        session.run(tf.global_variables_initializer())
        found = [session.run(state)]
        for _ in range(steps):
            session.run(step)
            found.append(session.run(state))
        return found


def test_multipliers() -> None:
    found = states(lambda inner: co.AdditiveExternalRegretOptimizer(inner, None, 1.0), 6)
    expected = [[0, 0, 0], *([1 - x, 0, x] for x in (0.4, 0.3, 0.2, 0.1, 0.0, 0.0))]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    unbounded = states(co.AdditiveExternalRegretOptimizer, 3)
    np.testing.assert_allclose(unbounded[-1], [1.8, 0, 1.2], rtol=1e-5)


def test_additive_matrices() -> None:
    first, second, third = states(co.AdditiveSwapRegretOptimizer, 2)
    np.testing.assert_array_equal(first, np.eye(4, 1) * np.ones(4))
    column = [2 / 3, 0.8 / 3, 0, 0.2 / 3]
    np.testing.assert_allclose(second, np.c_[column, first[:, 1:]], atol=1e-5)
    np.testing.assert_allclose(third.sum(0), 1, rtol=1e-5)
    assert third[1, 0] > second[1, 0] and (third[2] == 0).all()


def test_multiplicative_matrices() -> None:
    first, second = states(
        lambda inner: co.MultiplicativeSwapRegretOptimizer(inner, None, 1e-3, 0.8), 1
    )
    matrix = np.exp(first)
    np.testing.assert_allclose(matrix, np.repeat([[0.4], [0.2], [0.2], [0.2]], 4, 1), rtol=1e-5)
    # All columns are the distribution that the matrix keeps.
    kept = matrix[:, 0]
    moved = matrix * np.exp(np.outer([0, 0.6, -0.1, 0.4], kept))
    np.testing.assert_allclose(np.exp(second), moved / moved.sum(0), rtol=1e-4)


@pytest.mark.parametrize("of_its_own", [False, True])
@pytest.mark.parametrize(
    "kind",
    [
        lambda a, b: co.AdditiveExternalRegretOptimizer(a, b),
        lambda a, b: co.AdditiveExternalRegretOptimizer(a, b, 10.0),
        lambda a, b: co.AdditiveSwapRegretOptimizer(a, b),
        lambda a, b: co.MultiplicativeSwapRegretOptimizer(a, b),
    ],
)
def test_constraints_are_kept(kind: Any, of_its_own: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable([0.0, 0.0])
        count, before = tf.train.get_or_create_global_step(), tf.Variable(0)
        # The nearest point to (2, 2) with a sum of at most 1 is (0.5, 0.5).
        problem = Problem(
            tf.reduce_sum((x - 2.0) ** 2),
            tf.expand_dims(tf.cast(tf.reduce_sum(x) > 1.0, tf.float32) - 0.5, 0)
            if of_its_own
            else tf.expand_dims(tf.reduce_sum(x) - 1.0, 0),
            tf.expand_dims(tf.reduce_sum(x) - 1.0, 0) if of_its_own else None,
            [before.assign_add(1)],
        )
        rate = tf.train.GradientDescentOptimizer(0.05)
        other = tf.train.GradientDescentOptimizer(0.2) if of_its_own else None
        made = kind(rate, other)
        step = made.minimize(problem, unconstrained_steps=2, global_step=count)
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        np.testing.assert_allclose(session.run(x), 2 - 2 * 0.9**2 * np.ones(2), rtol=1e-5)
        points = []
        for _ in range(800):
            session.run(step)
            points.append(session.run(x))
        assert session.run([count, before]) == [802, 802]
        np.testing.assert_allclose(np.mean(points[-400:], 0), [0.5, 0.5], atol=0.1)
        assert made.constraint_optimizer is other


def test_best_candidates() -> None:
    objective = np.array([1.0, 2.0, 3.0])
    constraints = np.array([[2.0, 0.0, -2.0]])
    found = co.find_best_candidate_distribution(objective, constraints)
    np.testing.assert_allclose(found @ objective, 2.0, atol=1e-6)
    assert found @ constraints[0] <= 1e-6
    found = co.find_best_candidate_distribution(objective, constraints + 3.0, epsilon=1e-6)
    np.testing.assert_allclose(found, [0, 0, 1], atol=1e-4)
    # Ranks of violations: 3, 1, 1 and 1, 2, 3.
    rows = np.array([[2.0, -1.0, 0.0], [0.0, 1.0, 2.0]])
    assert co.find_best_candidate_index(objective, rows) == 1
    assert co.find_best_candidate_index(objective[::-1], rows[:1]) == 2
    assert co.find_best_candidate_index(objective[::-1], rows[:1], rank_objectives=True) == 2
    for function in (co.find_best_candidate_index, co.find_best_candidate_distribution):
        with pytest.raises(ValueError, match=r"objective_vector must have shape \(n,\)"):
            function(objective, rows.T)
    with pytest.raises(ValueError, match="epsilon must be nonnegative"):
        co.find_best_candidate_distribution(objective, rows, -1.0)
