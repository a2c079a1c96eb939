"""Gradients of random programs against finite differences."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dataflow as tf

# Smooth on all of R and bounded in growth, so that finite differences say the truth.
UNARY = {
    "tanh": lambda a: tf.tanh(a),
    "sin": lambda a: tf.sin(a),
    "sigmoid": lambda a: tf.sigmoid(a),
    "softened": lambda a: tf.log(tf.exp(-a) + 1.5),
    "square": lambda a: tf.square(tf.tanh(a)),
    "halved": lambda a: a * 0.5,
    "transposed": lambda a: tf.transpose(a),
    "spread": lambda a: tf.tile(tf.reduce_mean(a, axis=1, keepdims=True), [1, 2]),
    "reshaped": lambda a: tf.reshape(tf.reshape(a, [-1]), [2, 2]),
    "rows": lambda a: tf.gather(a, [1, 0]),
}
BINARY = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: tf.tanh(a) * b,
    "quotient": lambda a, b: a / (tf.square(b) + 1.0),
    "matmul": lambda a, b: tf.matmul(tf.tanh(a), tf.tanh(b)),
    "stacked": lambda a, b: tf.concat([a[:1], b[1:]], 0),
    "row added": lambda a, b: a + b[0],
}


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a random program; operands count from the newest value back."""

    operator: str
    operands: tuple[int, int]


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from([*UNARY, *BINARY]),
        st.tuples(st.integers(0, 5), st.integers(0, 5)),
    ),
    min_size=1,
    max_size=12,
)


def evaluate(steps: list[Step], xs: list[Any]) -> Any:
    """A scalar that depends on what the steps compute."""
    values = list(xs)
    for step in steps:
        first, second = (values[-1 - index % len(values)] for index in step.operands)
        if step.operator in UNARY:
            values.append(UNARY[step.operator](first))
        else:
            values.append(BINARY[step.operator](first, second))
    weights = tf.constant([[0.5, -1.0], [2.0, 0.25]], tf.float64)
    return tf.reduce_sum(values[-1] * weights) + tf.reduce_sum(values[-2] * weights)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(0, 2**32 - 1), st.booleans())
def test_random_programs(steps: list[Step], seed: int, tree: bool) -> None:
    starts = np.random.default_rng(seed).uniform(-1, 1, (2, 2, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        xs = [tf.placeholder(tf.float64, [2, 2]) for _ in starts]
        loss = evaluate(steps, xs)
        method = tf.AggregationMethod.EXPERIMENTAL_TREE if tree else None
        grads = tf.gradients(loss, xs, aggregation_method=method, unconnected_gradients="zero")
        dense = [tf.convert_to_tensor(grad) for grad in grads]
        run_loss = session.make_callable(loss, feed_list=xs)
        found = session.run(dense, dict(zip(xs, starts, strict=True)))
        np.testing.assert_allclose(found, differences(run_loss, starts), rtol=1e-5, atol=1e-7)


def differences(function: Any, xs: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences of a scalar function of arrays."""
    result = np.zeros_like(xs)
    for index in np.ndindex(*xs.shape):
        moved = xs.copy()
        moved[index] += step
        above = function(*moved)
        moved[index] -= 2 * step
        result[index] = (above - function(*moved)) / (2 * step)
    return result


def test_hessian() -> None:
    point = np.array([[0.3, -0.7], [1.1, 0.2]])
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [2, 2])
        loss = tf.reduce_sum(tf.sin(x) * tf.matmul(x, x))
        (hessian,) = tf.hessians(loss, x)
        assert hessian.shape.as_list() == [2, 2, 2, 2]
        (gradient,) = tf.gradients(loss, x)
        run = session.make_callable(gradient, feed_list=[x])
        found = session.run(hessian, {x: point})
        expected = np.zeros((2, 2, 2, 2))
        for index in np.ndindex(2, 2):
            moved = np.zeros((2, 2))
            moved[index] = 1e-5
            # Row i of a Hessian is the gradient of the i-th partial derivative; it is symmetric.
            expected[(..., *index)] = (run(point + moved) - run(point - moved)) / 2e-5
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_hessians_of_several() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        found = session.run(tf.hessians(tf.reduce_sum(x * x * x) * y * y, [x, y]))
        np.testing.assert_allclose(found[0], np.diag([54.0, 108.0]), rtol=1e-6)
        np.testing.assert_allclose(found[1], 18.0, rtol=1e-6)


def test_hessian_of_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [0])
        (hessian,) = tf.hessians(tf.reduce_sum(x * x), x)
        assert session.run(hessian, {x: np.zeros(0)}).shape == (0, 0)


def test_hessian_of_unknown_size() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        (hessian,) = tf.hessians(tf.reduce_sum(x * x * x), x)
        for point in ([1.0], [1.0, 2.0, -3.0]):
            found = session.run(hessian, {x: point})
            np.testing.assert_allclose(found, np.diag(6.0 * np.array(point)))


def test_threads_differentiate_one_graph() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(0.5, tf.float64)
        y = tf.sin(x) * tf.exp(x)
    found: list[Any] = [None] * 8

    def differentiate(index: int) -> None:
        with graph.as_default():
            found[index] = tf.gradients(y * float(index), x)[0]

    threads = [threading.Thread(target=differentiate, args=[index]) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slope = (np.cos(0.5) + np.sin(0.5)) * np.exp(0.5)
    with tf.Session(graph=graph) as session:
        np.testing.assert_allclose(session.run(found), slope * np.arange(8), rtol=1e-12)


def test_reductions_over_int64_axes_of_unknown_sizes() -> None:
    value = np.random.default_rng(0).uniform(0.5, 2, (2, 3))
    reductions = (
        (tf.reduce_sum, np.ones((2, 3))),
        (tf.reduce_mean, np.full((2, 3), 1 / 3)),
        (tf.reduce_prod, value.prod(1, keepdims=True) / value),
        (tf.reduce_max, value == value.max(1, keepdims=True)),
    )
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 3])
        axis = tf.placeholder(tf.int64, [1])
        grads = [tf.gradients(reduce(x, axis), x)[0] for reduce, _ in reductions]
        found = session.run(grads, {x: value, axis: [-1]})
    for got, (_, expected) in zip(found, reductions, strict=True):
        np.testing.assert_allclose(got, expected)
