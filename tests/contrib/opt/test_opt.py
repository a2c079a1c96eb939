"""tf.contrib.opt against the formulas in numpy, for dense gradients and for rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import opt

START = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
ROWS = np.array([0, 2])
GRADS = [np.array([[0.3, -0.1], [0.2, 0.4]]), np.array([[-0.5, 0.2], [0.1, 0.3]])]
KINDS = [(sparse, resource) for sparse in (False, True) for resource in (False, True)]


def moved(make: Callable[[], Any], sparse: bool, resource: bool, **options: Any) -> np.ndarray:
    """The variable after two steps; only two of its rows have gradients if sparse."""
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(START, name="x", use_resource=resource)
        fed = tf.placeholder(tf.float64, [2, 2] if sparse else [3, 2])
        grad = tf.IndexedSlices(fed, tf.constant(ROWS), tf.constant([3, 2])) if sparse else fed
        step = tf.train.get_or_create_global_step()
        train = make().apply_gradients([(grad, variable)], global_step=step, **options)
        session.run(tf.global_variables_initializer())
        for each in GRADS:
            session.run(train, {fed: each if sparse else whole(each)})
        return np.asarray(session.run(variable))


def whole(grad: np.ndarray) -> np.ndarray:
    """The gradient with zeros in the row that has none."""
    found = np.zeros_like(START)
    found[ROWS] = grad
    return found


def steps(sparse: bool) -> list[tuple[Any, np.ndarray]]:
    """For each step the rows that move, and their gradient."""
    return [(ROWS, grad) if sparse else (slice(None), whole(grad)) for grad in GRADS]


@pytest.mark.parametrize(("sparse", "resource"), KINDS)
def test_adamax(sparse: bool, resource: bool) -> None:
    x, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for t, (rows, g) in enumerate(steps(sparse), 1):
        m[rows] = 0.9 * m[rows] + 0.1 * g
        v[rows] = np.maximum(0.99 * v[rows], abs(g))
        x[rows] -= 0.1 / (1 - 0.9**t) * m[rows] / (v[rows] + 1e-6)
    make = lambda: opt.AdaMaxOptimizer(0.1, 0.9, 0.99, 1e-6)  # noqa: E731
    np.testing.assert_allclose(moved(make, sparse, resource), x, rtol=1e-6)


@pytest.mark.parametrize(("sparse", "resource"), KINDS)
def test_nadam(sparse: bool, resource: bool) -> None:
    x, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for t, (rows, g) in enumerate(steps(sparse), 1):
        rate = 0.1 * math.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        m *= 0.9
        v *= 0.99
        m[rows] += 0.1 * g
        v[rows] += 0.01 * g**2
        x[rows] -= rate * (0.1 * g + 0.9 * m[rows]) / (np.sqrt(v[rows]) + 1e-6)
    make = lambda: opt.NadamOptimizer(0.1, 0.9, 0.99, 1e-6)  # noqa: E731
    np.testing.assert_allclose(moved(make, sparse, resource), x, rtol=1e-6)


@pytest.mark.parametrize(("sparse", "resource"), KINDS)
def test_lazy_adam(sparse: bool, resource: bool) -> None:
    x, m, v = START.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for t, (rows, g) in enumerate(steps(sparse), 1):
        rate = 0.1 * math.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        m[rows] = 0.9 * m[rows] + 0.1 * g
        v[rows] = 0.99 * v[rows] + 0.01 * g**2
        x[rows] -= rate * m[rows] / (np.sqrt(v[rows]) + 1e-6)
    make = lambda: opt.LazyAdamOptimizer(0.1, 0.9, 0.99, 1e-6)  # noqa: E731
    np.testing.assert_allclose(moved(make, sparse, resource), x, rtol=1e-6)


@pytest.mark.parametrize(("sparse", "resource"), KINDS)
@pytest.mark.parametrize("power", [False, True])
def test_signs(power: bool, sparse: bool, resource: bool) -> None:
    x, m = START.copy(), np.zeros((3, 2))
    for t, (rows, g) in enumerate(steps(sparse)):
        decay = max(0.0, 4.0 - t) / 4.0
        m[rows] = 0.8 * m[rows] + 0.2 * g
        signs = decay * np.sign(g) * np.sign(m[rows])
        x[rows] -= 0.1 * (2.0**signs if power else 1.5 + signs) * g
    decay_fn = opt.get_linear_decay_fn(4)

    def make() -> Any:
        if power:
            return opt.PowerSignOptimizer(0.1, 2.0, 0.8, decay_fn)
        return opt.AddSignOptimizer(0.1, 1.5, 0.8, decay_fn)

    np.testing.assert_allclose(moved(make, sparse, resource), x, rtol=1e-6)
    with pytest.raises(ValueError, match="global_step is required for this sign_decay_fn"):
        make().apply_gradients([])


def test_decays_of_signs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        steps_seen = np.arange(12)
        cosine = opt.get_cosine_decay_fn(8, 1.0, 1.2)
        found = [session.run(cosine(tf.constant(step))) for step in steps_seen]
        done = steps_seen / 8
        want = np.where(done > 1.2, 0, 0.5 + 0.5 * np.cos(2 * np.pi * done))
        np.testing.assert_allclose(found, want, atol=1e-6)
        restarts = opt.get_restart_decay_fn(8, 2, 2.0)
        found = [session.run(restarts(tf.constant(step))) for step in steps_seen]
        want = np.where(2 * done >= 2, 0, 0.5 + 0.5 * np.cos(np.pi * (2 * done % 1)))
        np.testing.assert_allclose(found, want, atol=1e-6)
    with pytest.raises(ValueError, match="decay_steps must be a positive number"):
        opt.get_linear_decay_fn(0)
    with pytest.raises(ValueError, match="zero_after must be a positive number"):
        opt.get_cosine_decay_fn(1, zero_after=0)


@pytest.mark.parametrize(("sparse", "resource"), KINDS)
def test_weight_decay(sparse: bool, resource: bool) -> None:
    x, v = START.copy(), np.zeros((3, 2))
    for rows, g in steps(sparse):
        x[rows] -= 0.01 * x[rows]
        v[rows] = 0.9 * v[rows] + g
        x[rows] -= 0.1 * v[rows]
    make = lambda: opt.MomentumWOptimizer(0.01, 0.1, 0.9)  # noqa: E731
    np.testing.assert_allclose(moved(make, sparse, resource), x, rtol=1e-6)
    plain = moved(lambda: tf.train.MomentumOptimizer(0.1, 0.9), sparse, resource)
    np.testing.assert_allclose(moved(make, sparse, resource, decay_var_list=[]), plain)
    extended = opt.extend_with_decoupled_weight_decay(tf.train.MomentumOptimizer)
    made = moved(lambda: extended(0.01, learning_rate=0.1, momentum=0.9), sparse, resource)
    np.testing.assert_allclose(made, x, rtol=1e-6)


def test_adam_with_weight_decay() -> None:
    x = START.copy()
    m, v = np.zeros((3, 2)), np.zeros((3, 2))
    for t, (_, g) in enumerate(steps(False), 1):
        x -= 0.02 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x -= 0.1 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
    found = moved(lambda: opt.AdamWOptimizer(0.02, 0.1), False, True)
    np.testing.assert_allclose(found, x, rtol=2e-5)


@pytest.mark.parametrize("resource", [False, True])
def test_lars(resource: bool) -> None:
    x, v = START.copy(), np.zeros((3, 2))
    for _, g in steps(False):
        weights, change = np.linalg.norm(x), np.linalg.norm(g)
        rate = 0.5 * 0.1 * weights / (change + 0.01 * weights)
        # The momentum is of the steps: a rate counts for the gradient that it was made for.
        v = 0.9 * v + rate * (g + 0.01 * x)
        x = x - v
    make = lambda: opt.LARSOptimizer(0.5, weight_decay=0.01, eeta=0.1)  # noqa: E731
    np.testing.assert_allclose(moved(make, False, resource), x, rtol=1e-6)
    skipping = moved(lambda: opt.LARSOptimizer(0.5, skip_list=["x"]), False, resource)
    np.testing.assert_allclose(
        skipping, moved(lambda: tf.train.MomentumOptimizer(0.5, 0.9), False, resource)
    )
    with pytest.raises(ValueError, match="momentum should be positive"):
        opt.LARSOptimizer(0.1, -1.0)


def test_accumulators_that_stay() -> None:
    def after(avoid: bool) -> Any:
        with tf.Graph().as_default(), tf.Session() as session:
            variable = tf.Variable(START)
            optimizer = opt.RegAdagradOptimizer(0.1)
            grads = [(tf.constant(whole(GRADS[0])), variable)]
            if avoid:
                with optimizer.avoid_slot_update():
                    train = optimizer.apply_gradients(grads)
            else:
                train = optimizer.apply_gradients(grads)
            session.run(tf.global_variables_initializer())
            session.run(train)
            return session.run([variable, optimizer.get_slot(variable, "accumulator")])

    g = whole(GRADS[0])
    _, accumulator = after(True)
    np.testing.assert_allclose(accumulator, np.full((3, 2), 0.1))
    found, accumulator = after(False)
    np.testing.assert_allclose(accumulator, 0.1 + g**2)
    np.testing.assert_allclose(found, START - 0.1 * g / np.sqrt(accumulator))


def test_moving_averages(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(10.0, name="x")
        optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), 0.5)
        with pytest.raises(RuntimeError, match="Must call apply_gradients or minimize before"):
            optimizer.swapping_saver()
        train = optimizer.minimize(2.0 * variable, tf.train.get_or_create_global_step())
        saver = optimizer.swapping_saver()
        session.run(tf.global_variables_initializer())
        session.run(train)
        session.run(train)
        assert session.run(variable) == 6.0
        path = saver.save(session, str(tmp_path / "model"))
        # 10, then half of 10 and 8, then half of that and 6.
        assert tf.train.load_variable(path, "x") == 7.5
        assert tf.train.load_variable(path, "x/ExponentialMovingAverage") == 6.0


def test_clipped_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(START)
        inner = tf.train.GradientDescentOptimizer(0.1)
        optimizer = opt.VariableClippingOptimizer(inner, {variable: [1]}, 1.5)
        train = optimizer.apply_gradients([(tf.constant(whole(GRADS[0])), variable)])
        session.run(tf.global_variables_initializer())
        session.run(train)
        x = START - 0.1 * whole(GRADS[0])
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        np.testing.assert_allclose(session.run(variable), x * np.minimum(1, 1.5 / norms))


@pytest.mark.parametrize("resource", [False, True])
def test_sparse_gradients_clip_the_rows_they_change(resource: bool) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        variable = tf.get_variable(
            "m/x",
            initializer=tf.constant([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]),
            use_resource=resource,
        )
        grads = tf.IndexedSlices(tf.constant([[-3.0, -4.0], [0.0, 0.0]]), tf.constant([0, 1]))
        for number, axes in enumerate(([1], [0])):
            optimizer = opt.VariableClippingOptimizer(
                tf.train.GradientDescentOptimizer(1.0), {variable: axes}, 5.0
            )
            train = optimizer.apply_gradients([(grads, variable)])
            session.run(tf.global_variables_initializer())
            session.run(train)
            x = np.array([[6, 8], [0.3, 0.4], [6, 8]])
            expected = np.array([[3, 4], [0.3, 0.4], [6, 8]])
            if number:
                # Along the rows there is no clipping of some of them.
                expected = x * np.minimum(1, 5 / np.linalg.norm(x, axis=0, keepdims=True))
            np.testing.assert_allclose(session.run(variable), expected, rtol=1e-6)
        assert any("VariableClipping/clip_m/x/" in op.name for op in graph.get_operations())


def test_momentum_of_rates() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable([3.0, 4.0])
        optimizer = opt.LARSOptimizer(0.5, eeta=0.1, weight_decay=0.0)
        train = optimizer.apply_gradients([(tf.constant([0.0, 2.0]), variable)])
        session.run(tf.global_variables_initializer())
        session.run(train)
        slot = session.run(optimizer.get_slot(variable, "momentum"))
        np.testing.assert_allclose(slot, [0.0, 2.0 * 0.5 * 0.1 * 5 / 2], rtol=1e-6)


def test_tasks_that_take_turns() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable([1.0, 2.0])
        grad = tf.placeholder(tf.float32, [2])
        optimizer = opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(1.0, 0.5))
        pairs, norm = opt.clip_gradients_by_global_norm([(grad, variable)], 5.0)
        assert session.run(norm, {grad: [6.0, 8.0]}) == 10.0
        train = optimizer.apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        session.run(train, {grad: [6.0, 8.0]})
        np.testing.assert_allclose(session.run(variable), [-2.0, -2.0])
        session.run(train, {grad: [0.0, 0.0]})
        # Momentum would have moved it.
        np.testing.assert_allclose(session.run(variable), [-2.0, -2.0])
        session.run(train, {grad: [1.0, 0.0]})
        np.testing.assert_allclose(session.run(variable), [-4.5, -4.0])
    with pytest.raises(TypeError, match=r"must be an instance of tf\.train\.Optimizer"):
        opt.MultitaskOptimizerWrapper(3)


@pytest.mark.parametrize(("staleness", "kept"), [(0, False), (5, True)])
def test_stale_gradients(staleness: int, kept: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(1.0)
        step = tf.train.get_or_create_global_step()
        optimizer = opt.DropStaleGradientOptimizer(
            tf.train.GradientDescentOptimizer(1.0), staleness
        )
        pairs = optimizer.compute_gradients(variable * 3.0)
        # Another worker makes two steps before this one applies its gradients.
        with tf.control_dependencies([optimizer._begun]):
            other = step.assign_add(2)
        with tf.control_dependencies([other]):
            pairs = [(tf.identity(grad), each) for grad, each in pairs]
        train = optimizer.apply_gradients(pairs, global_step=step)
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(variable) == (-2.0 if kept else 1.0)
        assert session.run(optimizer._stale_counter) == (0.0 if kept else 1.0)
        assert optimizer._stale_counter.op.name == "stale_counter"
        (share,) = tf.get_collection(tf.GraphKeys.SUMMARIES)
        assert share.op.name == "Gradient_staleness_percentage"


def test_scipy() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable([7.0, 7.0], name="x")
        y = tf.Variable(2.0, name="y")
        loss = tf.reduce_sum(tf.square(x - [1.0, -3.0])) + tf.square(y - 4.0)
        session.run(tf.global_variables_initializer())
        seen: list[Any] = []
        opt.ScipyOptimizerInterface(loss, options={"maxiter": 100}).minimize(
            session, fetches=[loss], loss_callback=seen.append
        )
        np.testing.assert_allclose(session.run(x), [1.0, -3.0], atol=1e-4)
        np.testing.assert_allclose(session.run(y), 4.0, atol=1e-4)
        assert seen[0] == 36.0 + 100.0 + 4.0
        # On a circle, and above a line: the nearest point.
        bounded = opt.ScipyOptimizerInterface(
            loss,
            var_list=[x],
            equalities=[tf.reduce_sum(tf.square(x)) - 2.0],
            inequalities=[x[1]],
            method="SLSQP",
        )
        bounded.minimize(session)
        np.testing.assert_allclose(session.run(x), [math.sqrt(2.0), 0.0], atol=1e-3)
        opt.ScipyOptimizerInterface(loss, var_to_bounds={x: ([2.0, -1.0], np.inf)}).minimize(
            session
        )
        np.testing.assert_allclose(session.run(x), [2.0, -1.0], atol=1e-4)
        with pytest.raises(ValueError, match="Bounds must be set using the var_to_bounds"):
            opt.ScipyOptimizerInterface(loss, bounds=[]).minimize(session)
        with pytest.raises(NotImplementedError, match="subclass from it"):
            opt.ExternalOptimizerInterface(loss).minimize(session)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("is_lazy", [False, True])
def test_adam_by_the_global_step(is_lazy: bool, resource: bool) -> None:
    found = []
    for by_step in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            count = tf.train.get_or_create_global_step()
            table = tf.get_variable("table", initializer=tf.ones([4, 2]), use_resource=resource)
            plain = tf.get_variable("plain", initializer=tf.ones([3]), use_resource=resource)
            loss = tf.reduce_sum(tf.gather(table, [1, 3]) ** 2) + tf.reduce_sum(plain**2)
            if by_step:
                kind = opt.LazyAdamGSOptimizer if is_lazy else opt.AdamGSOptimizer
                made = kind(count, 0.1)
            else:
                made = (opt.LazyAdamOptimizer if is_lazy else tf.train.AdamOptimizer)(0.1)
            step = made.minimize(loss, count)
            names = {each.op.name for each in tf.global_variables()}
            assert ("beta1_power" in names) == (not by_step)
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            found.append(session.run([table, plain]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5)
