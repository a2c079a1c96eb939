"""Optimizers with matrices, and those of replicas, against their formulas in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import opt

START = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
GRADS = [np.random.RandomState(seed).standard_normal((3, 2)) for seed in range(3)]


def moved(make: Callable[[], Any], resource: bool, rows: Any = None) -> np.ndarray[Any, Any]:
    """The variable after three steps; only some rows have gradients if they are named."""
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(START, name="x", use_resource=resource)
        fed = tf.placeholder(tf.float64, [None, 2])
        grad = fed if rows is None else tf.IndexedSlices(fed, rows, tf.constant([3, 2]))
        train = make().apply_gradients([(grad, variable)], tf.train.get_or_create_global_step())
        session.run(tf.global_variables_initializer())
        for each in GRADS:
            session.run(train, {fed: each if rows is None else each[rows]})
        return np.asarray(session.run(variable))


def powered(matrix: Any, exponent: float, epsilon: float = 1e-4) -> Any:
    values, vectors = np.linalg.eigh(matrix + epsilon * np.eye(len(matrix)))
    return (vectors * values**exponent) @ vectors.T


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("iterative", [False, True])
def test_shampoo(resource: bool, iterative: bool) -> None:
    x, left, right = START.copy(), np.zeros((3, 3)), np.zeros((2, 2))
    for grad in GRADS:
        left += grad @ grad.T
        right += grad.T @ grad
        x -= 0.1 * powered(left / 3, -0.25) @ grad @ powered(right / 2, -0.25)
    found = moved(
        lambda: opt.ShampooOptimizer(learning_rate=0.1, use_iterative_root=iterative), resource
    )
    np.testing.assert_allclose(found, x, rtol=1e-2 if iterative else 1e-6)


@pytest.mark.parametrize("resource", [False, True])
def test_shampoo_with_momentum_and_powers_that_are_taken_now_and_then(resource: bool) -> None:
    x, gbar = START.copy(), np.zeros((3, 2))
    left, right, of_left, of_right = np.zeros((3, 3)), np.zeros((2, 2)), np.eye(3), np.eye(2)
    for step, grad in enumerate(GRADS, 1):
        gbar = 0.9 * gbar + 0.5 * grad
        left += grad @ grad.T
        right += grad.T @ grad
        if step % 2 == 0:
            of_left, of_right = powered(left / 3, -0.25), powered(right / 2, -0.25)
        x -= 0.1 / step * of_left @ gbar @ of_right

    def make() -> Any:
        return opt.ShampooOptimizer(
            global_step=tf.train.get_or_create_global_step(),
            learning_rate=lambda step: 0.1 / step,
            gbar_decay=0.9,
            gbar_weight=0.5,
            svd_interval=2,
        )

    np.testing.assert_allclose(moved(make, resource), x, rtol=1e-6)


@pytest.mark.parametrize("resource", [False, True])
def test_shampoo_of_rows_of_a_dimension_that_has_a_vector(resource: bool) -> None:
    x, of_rows, right, rows = START.copy(), np.zeros(3), np.zeros((2, 2)), np.array([0, 2])
    for whole in GRADS:
        grad = whole[rows]
        of_rows[rows] += (grad**2).sum(1)
        right += grad.T @ grad
        x[rows] -= 0.1 * of_rows[rows, None] ** -0.25 * grad @ powered(right / 2, -0.25)
    found = moved(
        lambda: opt.ShampooOptimizer(learning_rate=0.1, max_matrix_size=2), resource, rows
    )
    np.testing.assert_allclose(found, x, rtol=1e-6)


@pytest.mark.parametrize("resource", [False, True])
def test_ggt(resource: bool) -> None:
    x, moment, buffer = START.reshape(-1).copy(), np.zeros(6), np.zeros((2, 6))
    for step, grad in enumerate(GRADS):
        moment = 0.9 * moment + 0.1 * grad.reshape(-1)
        buffer[step % 2] = moment
        m = buffer.T / np.sqrt(min(step + 1, 2))
        values, u = np.linalg.eigh(m.T @ m + 1e-6 * np.eye(2))
        root = np.sqrt(values)
        update = m @ u @ np.diag((root + 0.01) ** -3) @ u.T @ m.T @ moment
        if root.min() > 1e-4:
            tail = moment - m @ u @ np.diag(1 / values) @ u.T @ m.T @ moment
            update += tail / root.min()
        x -= 0.01 * update
    found = moved(lambda: opt.GGTOptimizer(0.01, window=2), resource)
    np.testing.assert_allclose(found.reshape(-1), x, rtol=1e-5)
    with tf.Graph().as_default(), tf.Session() as session:
        grads = [(tf.constant([3.0, 4.0]), tf.Variable([1.0, 2.0]))]
        train = opt.GGTOptimizer(0.01).apply_gradients(grads)
        session.run(tf.global_variables_initializer())
        session.run(train)
        flat = next(each for each in tf.global_variables() if each.op.name == "flat_grad")
        np.testing.assert_allclose(session.run(flat), [3.0, 4.0])


def of_one_worker(getter: Any, make: Callable[[Any], Any]) -> list[tuple[float, float]]:
    """A variable and the common one after each of five steps with the gradients 1, 2, ..."""
    found = []
    with tf.Graph().as_default():
        with tf.variable_scope("", custom_getter=getter):
            variable = tf.get_variable("x", initializer=1.0)
        common = next(each for each in tf.global_variables() if "global_center" in each.op.name)
        assert common.op.name == "global_center_variable/x"
        assert variable in tf.local_variables()
        step = tf.train.get_or_create_global_step()
        fed = tf.placeholder(tf.float32, [])
        optimizer = make(getter)
        train = optimizer.minimize(fed * variable, global_step=step)
        options = () if isinstance(optimizer, opt.ModelAverageOptimizer) else (True, 0)
        hook = optimizer.make_session_run_hook(*options)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for number in range(1, 6):
                session.run(train, {fed: float(number)})
                found.append(session.run((variable, common)))
            assert session.run(step) == 2
    return found


def test_averages_of_models() -> None:
    found = of_one_worker(
        opt.ModelAverageCustomGetter("/cpu:0"),
        lambda getter: opt.ModelAverageOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 1, True, getter, interval_steps=2
        ),
    )
    expected = [(0.9, 1.0), (0.7, 0.7), (0.4, 0.7), (0.0, 0.0), (-0.5, 0.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_elastic_averages() -> None:
    found = of_one_worker(
        opt.ElasticAverageCustomGetter("/cpu:0"),
        lambda getter: opt.ElasticAverageOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 1, getter, 2, moving_rate=0.25
        ),
    )
    x, center, seen, expected = 1.0, 1.0, 1.0, []
    for number in range(1, 6):
        x -= 0.1 * (number + 0.25 / 0.1 * (x - seen))
        if number % 2 == 0:
            seen = center
            apart = 0.25 * (x - seen)
            x, center = x - apart, center + apart
        expected.append((x, center))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_accumulated_gradients() -> None:
    found = of_one_worker(
        opt.AGNCustomGetter("/cpu:0"),
        lambda getter: opt.AGNOptimizer(
            tf.train.MomentumOptimizer(0.1, 0.0), 1, getter, communication_period=2
        ),
    )
    common = [1.0, 1.0 - 0.15, 1.0 - 0.15, 0.85 - 0.35, 0.5]
    expected = [(0.9, 1.0), (0.85, 0.85), (0.55, 0.85), (0.5, 0.5), (0.0, 0.5)]
    assert [each for _, each in expected] == pytest.approx(common)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
