"""Gradients through conditionals and loops make the nodes that TensorFlow's make, and compute what
they compute, on both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.control_flow.both import assert_same, assert_same_values
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.programs.gradient_programs import PROGRAMS
from tests.control_flow.programs.programs import place, times


def _on_both_paths() -> Iterator[Any]:
    """Each program lowered, and one in three in the general executor; all of them by command.

    To that executor the nodes of gradients are like any others.
    """
    for number, name in enumerate(PROGRAMS):
        for path in PATHS:
            is_later = path == "general" and number % 3 > 0
            yield pytest.param(name, path, marks=[pytest.mark.long] * is_later)


@pytest.mark.parametrize(
    ("name", "control_flow_path"), [*_on_both_paths()], indirect=["control_flow_path"]
)
def test_gradients_make_and_compute_the_same(name: str, control_flow_path: ControlFlowPath) -> None:
    assert_same(PROGRAMS[name], lambda graph: control_flow_path.session(graph=graph))


@pytest.mark.parametrize(
    "name", ["cond_in_loop_in_loop", "lstm", "loop_with_embedding", "trained_through_loop"]
)
def test_gradients_on_each_target(name: str, session_factory: SessionFactory) -> None:
    assert_same_values(PROGRAMS[name], session_factory)


def test_gradients_follow_the_number_of_iterations(control_flow_path: ControlFlowPath) -> None:
    with tf.Graph().as_default() as graph:
        x, n = place(tf), place(tf, dtype="int32", name="n")
        (grad,) = tf.gradients(times(tf, n, lambda i, v: v * x, x), x)
        with control_flow_path.session(graph=graph) as session:
            # The loop makes x ** (n + 1).
            found = [session.run(grad, {x: 2.0, n: count}) for count in (3, 0, 5, 1, 3)]
    assert found == [4 * 2.0**3, 1.0, 6 * 2.0**5, 2 * 2.0, 4 * 2.0**3]


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_replaced_variable_of_doubles(trips: int, control_flow_path: ControlFlowPath) -> None:
    # TensorFlow puts float32 zeros into the float64 loop and fails when it runs.
    with tf.Graph().as_default() as graph:
        x, w = (place(tf, None, dtype="float64", name=name) for name in ("x", "w"))
        shapes = (tf.TensorShape([]), tf.TensorShape([None]))
        y = times(tf, trips, lambda i, v: w * w, x, shape_invariants=shapes)
        with control_flow_path.session(graph=graph) as session:
            found = session.run(tf.gradients(y, [x, w]), {x: [5.0, 6.0], w: [2.0, 3.0]})
    expected = [[0.0, 0.0], [4.0, 6.0]] if trips else [[1.0, 1.0], [0.0, 0.0]]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("size", [4, None], ids=["known", "unknown"])
@pytest.mark.parametrize("index", [tf.int32, tf.int64], ids=["int32", "int64"])
def test_gathered_from_what_a_loop_has_changed(
    index: Any, size: int | None, control_flow_path: ControlFlowPath
) -> None:
    # TensorFlow refuses all but int32 and a size that is not known.
    start = np.arange(1.0, 9.0).reshape(4, 2)
    with tf.Graph().as_default() as graph:
        x = place(tf, size, 2, dtype="float64")
        rows = tf.gather(times(tf, 3, lambda i, v: v * x, x), tf.constant([1, 2, 1], index))
        (grad,) = tf.gradients(rows, x)
        with control_flow_path.session(graph=graph) as session:
            found = session.run(grad, {x: start})
    np.testing.assert_allclose(found, 4 * start**3 * [[0], [2], [1], [0]], 1e-12)


def test_gathered_from_what_a_loop_has_passed_and_used(control_flow_path: ControlFlowPath) -> None:
    start = np.arange(1.0, 9.0).reshape(4, 2)
    with tf.Graph().as_default() as graph:
        x = place(tf, 4, 2, dtype="float64")
        end, total = tf.while_loop(
            lambda v, s: s < 400.0, lambda v, s: (v, s + tf.reduce_sum(v * v)), [x, x[0, 0]]
        )
        rows = tf.gather(end, tf.constant([1, 2, 1], tf.int64))
        (grad,) = tf.gradients([rows, total], x)
        with control_flow_path.session(graph=graph) as session:
            found = session.run(grad, {x: start})
    # The squares sum up to 204, so that the loop runs twice.
    expected = 4 * start + [[0], [2], [1], [0]]
    expected[0, 0] += 1
    np.testing.assert_allclose(found, expected, 1e-12)


def test_gathered_from_a_resource_in_two_loops(control_flow_path: ControlFlowPath) -> None:
    # TensorFlow takes the shape of the handle for that of the variable, and fails.
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [4, 2], initializer=tf.ones_initializer(), use_resource=True)

        def row_sum(j: Any, total: Any) -> Any:
            return total + tf.reduce_sum(tf.gather(v, tf.constant([1, 2, 1], tf.int64)))

        end = times(tf, 2, lambda i, total: times(tf, 3, row_sum, total), 0.0)
        (grad,) = tf.gradients(end, v)
        dense = tf.convert_to_tensor(grad)
        with control_flow_path.session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            found = session.run(dense)
    np.testing.assert_array_equal(found, [[0, 0], [12, 12], [6, 6], [0, 0]])


def test_lstm_against_finite_differences(control_flow_path: ControlFlowPath) -> None:
    random = np.random.default_rng(5)
    starts = [random.normal(0, 0.5, size) for size in ((4, 2, 3), (5, 8), (8,))]
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(tf.float64, start.shape) for start in starts]
        loss = lstm_loss(*xs)
        grads = tf.gradients(loss, xs)
        with control_flow_path.session(graph=graph) as session:
            found = session.run(grads, dict(zip(xs, starts, strict=True)))
            value = session.make_callable(loss, xs)
            for index, grad in enumerate(found):
                np.testing.assert_allclose(grad, slopes(value, starts, index), 1e-6, 1e-8)


def lstm_loss(inputs: Any, kernel: Any, bias: Any) -> Any:
    """A scalar that depends on all outputs of an LSTM of two units over `[time, batch, depth]`."""
    source = tf.TensorArray(tf.float64, 4).unstack(inputs)

    def step(t: Any, c: Any, h: Any, out: Any) -> Any:
        gates = tf.matmul(tf.concat([source.read(t), h], 1), kernel) + bias
        i, j, f, o = tf.split(gates, 4, axis=1)
        c = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return t + 1, c, h, out.write(t, h)

    zero = tf.zeros([2, 2], tf.float64)
    start = (0, zero, zero, tf.TensorArray(tf.float64, 4))
    _, c, _, out = tf.while_loop(lambda t, *_: t < 4, step, start)
    return tf.reduce_sum(tf.square(out.stack())) + tf.reduce_mean(c)


def slopes(value: Callable[..., Any], starts: list[np.ndarray], index: int) -> np.ndarray:
    """The derivatives of `value` by each element of one of its arguments."""
    step = 1e-5
    found = np.empty_like(starts[index])
    for position in np.ndindex(found.shape):
        ends = []
        for sign in (1, -1):
            moved = [start.copy() for start in starts]
            moved[index][position] += sign * step
            ends.append(value(*moved))
        found[position] = (ends[0] - ends[1]) / (2 * step)
    return found
