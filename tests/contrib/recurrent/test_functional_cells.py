"""tf.contrib.recurrent beside dynamic_rnn and polynomials in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.values import nest
from tests.conftest import SessionFactory

INPUTS = np.random.RandomState(0).randn(3, 5, 2).astype(np.float32)
CELLS: dict[str, Callable[[], Any]] = {
    "lstm": lambda: tf.nn.rnn_cell.LSTMCell(4),
    "projected": lambda: tf.nn.rnn_cell.LSTMCell(4, num_proj=2),
    "gru": lambda: tf.nn.rnn_cell.GRUCell(3),
    "several": lambda: tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(4), tf.nn.rnn_cell.GRUCell(3)]
    ),
}


def horner(theta: Any, state: Any, inputs: Any) -> tuple[Any, Any]:
    """A term of a polynomial more."""
    after = {
        "value": state["value"] + inputs["coefficient"] * state["power"],
        "power": state["power"] * theta["x"],
    }
    return after, {"coefficient": inputs["coefficient"]}


def test_a_polynomial(session_factory: SessionFactory) -> None:
    theta = {"x": tf.constant(2.0)}
    start = {"value": tf.constant(0.0), "power": tf.constant(1.0)}
    inputs = {"coefficient": tf.constant([1.0, 2.0, 3.0])}
    states, last = tf.contrib.recurrent.Recurrent(theta, start, inputs, horner)
    slopes = tf.gradients(last["value"], [theta["x"], inputs["coefficient"]])
    run = session_factory().run
    assert run(states["value"]).tolist() == [1, 5, 17]
    assert run(states["power"]).tolist() == [2, 4, 8]
    assert run(last) == {"value": 17, "power": 8}
    assert run(slopes[0]) == 14
    assert run(slopes[1]).tolist() == [1, 2, 4]
    some, last = tf.contrib.recurrent.Recurrent(
        theta, start, inputs, horner, max_input_length=tf.constant(2)
    )
    assert run([some["value"], last["value"]])[0].tolist() == [1, 5, 0]
    some, last = tf.contrib.recurrent.Recurrent(
        theta, start, inputs, horner, max_input_length=tf.constant(2), aligned_end=True
    )
    assert run(some["value"]).tolist() == [0, 2, 8]
    with pytest.raises(TypeError, match="same nested structure"):
        tf.contrib.recurrent.Recurrent(theta, start, inputs, horner, extras=[1.0, 2.0])


def test_gradients_of_ones_own(session_factory: SessionFactory) -> None:
    def backward(
        theta: Any, state: Any, inputs: Any, extras: Any, slope: Any
    ) -> tuple[Any, Any, Any]:
        return (
            {"x": 10 * slope["power"] * state["power"]},
            {
                "value": slope["value"],
                "power": slope["value"] * extras["coefficient"] + slope["power"] * theta["x"],
            },
            {"coefficient": slope["value"] * state["power"]},
        )

    theta = {"x": tf.constant(2.0)}
    start = {"value": tf.constant(0.0), "power": tf.constant(1.0)}
    inputs = {"coefficient": tf.constant([1.0, 2.0, 3.0])}
    _, last = tf.contrib.recurrent.Recurrent(theta, start, inputs, horner, cell_grad=backward)
    slopes = tf.gradients(last["value"], [theta["x"], inputs["coefficient"], start["value"]])
    of_x, of_inputs, of_start = session_factory().run(slopes)
    assert (of_x, of_inputs.tolist(), of_start) == (140, [1, 2, 4], 1)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("lengths", [None, [5, 2, 3]])
def test_cells_beside_dynamic_rnn(name: str, lengths: Any) -> None:
    found = []
    for of in (tf.contrib.recurrent.functional_rnn, tf.nn.dynamic_rnn):
        with tf.Graph().as_default(), tf.Session() as session:
            inputs = tf.constant(INPUTS)
            given = None if lengths is None else tf.constant(lengths)
            outputs, state = of(CELLS[name](), inputs, sequence_length=given, dtype=tf.float32)
            weights = tf.trainable_variables()
            slopes = tf.gradients(tf.reduce_sum(outputs * outputs), [*weights, inputs])
            session.run(tf.global_variables_initializer())
            drawn = np.random.RandomState(1)
            for each in weights:
                each.load(drawn.uniform(-0.5, 0.5, each.shape.as_list()), session)
            names = [each.op.name for each in weights]
            values = session.run([outputs, *nest.flatten(state), *slopes])
            found.append((names, outputs.shape.as_list(), values))
    assert found[0][:2] == found[1][:2]
    for one, other in zip(found[0][2], found[1][2], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_from_the_other_end_and_from_both() -> None:
    cell = tf.nn.rnn_cell.GRUCell
    turned = INPUTS[:, ::-1].copy()
    reverse, state = tf.contrib.recurrent.functional_rnn(
        cell(3), tf.constant(INPUTS), dtype=tf.float32, reverse=True
    )
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        plain, last = tf.contrib.recurrent.functional_rnn(
            cell(3), tf.constant(turned.transpose(1, 0, 2)), dtype=tf.float32, time_major=True
        )
    both = []
    for fast in (False, True):
        with tf.variable_scope("both", reuse=fast):
            outputs, states = tf.contrib.recurrent.bidirectional_functional_rnn(
                cell(3), cell(2), tf.constant(INPUTS), dtype=tf.float32, fast_reverse=fast
            )
            both.append((outputs, states))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, other, end, same_end = session.run([reverse, plain, state, last])
        np.testing.assert_allclose(one, other.transpose(1, 0, 2)[:, ::-1], rtol=1e-6)
        np.testing.assert_allclose(end, same_end, rtol=1e-6)
        first, second = session.run(both)
        for one, other in zip(nest.flatten(first), nest.flatten(second), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
