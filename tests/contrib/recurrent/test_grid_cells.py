"""Cells of tf.contrib.grid_rnn: with the numbers that TensorFlow 1 gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import grid_rnn

FIRST = ([[0.1, 0.2]], [[0.3, 0.4]])
SECOND = ([[0.5, 0.6]], [[0.7, 0.8]])
THIRD = ([[-0.1, -0.2]], [[-0.3, -0.4]])
ROWS = ([[0.1, 0.1], [0.2, 0.2]], [[0.1, 0.1], [0.2, 0.2]])
ONES = [[1.0, 1.0, 1.0]]
STATES = {
    "basic LSTM": [
        [0.71053141, 0.71053141],
        [0.36617181, 0.36617181],
        [0.72320831, 0.80555487],
        [0.39102408, 0.42150158],
    ],
    "LSTM": [
        [2.41515064, 2.41515064],
        [0.95686918, 0.95686918],
        [1.38917875, 1.49043763],
        [0.83884692, 0.86036491],
    ],
    "basic": [[[0.94685763] * 2, [0.99480951] * 2], [[0.80049908] * 2, [0.97574311] * 2]],
}

CASES: dict[str, tuple[Any, float, Any, Any, Any, Any]] = {
    "basic LSTM": (
        lambda: grid_rnn.Grid2BasicLSTMCell(2), 0.2, ONES, (FIRST, SECOND),
        [0.36617181] * 2, STATES["basic LSTM"],
    ),
    "basic LSTM, tied": (
        lambda: grid_rnn.Grid2BasicLSTMCell(2, tied=True), 0.2, ONES, (FIRST, SECOND),
        [0.36617181] * 2, STATES["basic LSTM"],
    ),
    "basic LSTM and relu": (
        lambda: grid_rnn.Grid2BasicLSTMCell(2, non_recurrent_fn=tf.nn.relu), 0.2, ONES, (FIRST,),
        [0.31667367] * 2, [[0.29530135, 0.37520045], [0.17044567, 0.21292259]],
    ),
    "LSTM": (
        lambda: grid_rnn.Grid2LSTMCell(2, use_peepholes=True), 0.5, ONES, (FIRST, SECOND),
        [0.95686918] * 2, STATES["LSTM"],
    ),
    "LSTM, tied": (
        lambda: grid_rnn.Grid2LSTMCell(2, tied=True, use_peepholes=True), 0.5, ONES,
        (FIRST, SECOND), [0.95686918] * 2, STATES["LSTM"],
    ),
    "LSTM and relu": (
        lambda: grid_rnn.Grid2LSTMCell(2, use_peepholes=True, non_recurrent_fn=tf.nn.relu), 0.5,
        ONES, (FIRST,), [2.1831727] * 2, [[0.92270052, 1.02325559], [0.66159075, 0.70475441]],
    ),
    "basic": (
        lambda: grid_rnn.Grid2BasicRNNCell(2), 0.5, [[1.0, 1.0], [2.0, 2.0]], ROWS,
        [[0.94685763] * 2, [0.99480951] * 2], STATES["basic"],
    ),
    "basic, tied": (
        lambda: grid_rnn.Grid2BasicRNNCell(2, tied=True), 0.5, [[1.0, 1.0], [2.0, 2.0]], ROWS,
        [[0.94685763] * 2, [0.99480951] * 2], STATES["basic"],
    ),
    "basic and relu": (
        lambda: grid_rnn.Grid2BasicRNNCell(2, non_recurrent_fn=tf.nn.relu), 0.5, [[1.0, 1.0]],
        ([[0.1, 0.1]],), [1.80049896] * 2, [[0.80049896] * 2],
    ),
    "one": (
        lambda: grid_rnn.Grid1LSTMCell(2, use_peepholes=True), 0.5, ONES, (FIRST,),
        [0.91287315] * 2, [[2.26285243] * 2, [0.91287315] * 2],
    ),
    "one, later": (
        lambda: grid_rnn.Grid1LSTMCell(2, use_peepholes=True), 0.5, np.zeros([0, 0]),
        (([[2.26285243] * 2], [[0.91287315] * 2]),),
        [0.9032144] * 2, [[2.79966092] * 2, [0.9032144] * 2],
    ),
    "three": (
        lambda: grid_rnn.Grid3LSTMCell(2, use_peepholes=True), 0.5, ONES, (FIRST, SECOND, THIRD),
        [0.96892911] * 2,
        [
            [2.45227885] * 2, [0.96892911] * 2, [1.33592629, 1.4373529], [0.80867189, 0.83247656],
            [0.7317788, 0.63205892], [0.56548983, 0.50446129],
        ],
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def step(cell: Any, weight: float, x: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The outputs and the new state of a step, all weights being one number."""

    def constants(values: Any) -> Any:
        if isinstance(values, tuple):
            return tuple(map(constants, values))
        return tf.constant(values, tf.float32)

    start = tf.constant_initializer(weight)
    with tf.variable_scope("root", initializer=start):
        found = cell(constants(x), constants(state), **kwargs)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        output, new_state = session.run(found)
    return output, new_state


@pytest.mark.parametrize("name", CASES)
def test_a_step(name: str) -> None:
    made, weight, x, state, output, new_state = CASES[name]
    cell = made()
    sizes = tuple((2, 2) if isinstance(each, tuple) else 2 for each in state)
    assert cell.state_size == sizes and cell.output_size == (2,)
    (found,), states = step(cell, weight, x, state)
    rows = np.shape(output)
    np.testing.assert_allclose(found, np.reshape(output, (-1, 2)), rtol=1e-6)
    flat = tf.contrib.framework.nest.flatten(states)
    shape = (len(new_state), -1, rows[-1])
    np.testing.assert_allclose(np.stack(flat), np.reshape(new_state, shape), rtol=1e-6)


def test_states_and_outputs_side_by_side() -> None:
    cell = grid_rnn.Grid2LSTMCell(
        2, use_peepholes=True, state_is_tuple=False, output_is_tuple=False
    )
    assert cell.state_size == 8 and cell.output_size == 2
    output, state = step(cell, 0.5, ONES, [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    np.testing.assert_allclose(output, [[0.95686918] * 2], rtol=1e-6)
    np.testing.assert_allclose(state, [np.concatenate(STATES["LSTM"])], rtol=1e-6)


def test_layers_alone() -> None:
    cell = grid_rnn.GridRNNCell(2, 1, 0, 0, None, 0, non_recurrent_fn=tf.nn.relu)
    (output,), state = step(cell, 0.5, [[1.0, -1.0], [-2, 1], [2, -1]], ())
    assert state == ()
    np.testing.assert_allclose(output, [[0, 0], [0, 0], [0.5, 0.5]])


def test_dimensions_that_share_weights_beside_a_layer() -> None:
    cell = grid_rnn.GridRNNCell(
        3, 3, (0, 1), [2, 0], 0, 1, True, tf.nn.rnn_cell.GRUCell, tf.nn.tanh
    )
    x = (np.ones((2, 4)), np.zeros((2, 4)))
    state = (np.full((2, 3), 0.5), np.full((2, 3), 0.25))
    output, new = step(cell, 0.5, x, state, scope="grid")
    names = {each.op.name for each in tf.global_variables()}
    cells = [f"recurrent/gru_cell/{kind}" for kind in ("gates", "candidate")]
    inside = [f"{each}/{part}" for each in cells for part in ("kernel", "bias")]
    inside += [f"non_recurrent/fully_connected/{part}" for part in ("weights", "biases")]
    inside += ["project_m_0", "project_m_1"]
    assert names == {f"root/grid/{each}" for each in inside}

    def gru(seen: Any, last: Any) -> Any:
        both = 0.5 * (seen.sum(1) + last.sum(1))[:, None] + 1.0
        gate = 1 / (1 + np.exp(-both))
        candidate = np.tanh(0.5 * (seen.sum(1)[:, None] + (gate * last).sum(1)[:, None]))
        return gate * last + (1 - gate) * candidate

    hidden = [np.full((2, 3), 2.0), np.zeros((2, 3)), state[1]]
    seen = np.concatenate(hidden[:2], 1)
    middle = np.tanh(0.5 * (seen.sum(1) + hidden[2].sum(1))[:, None] * np.ones((2, 3)))
    last = gru(seen, hidden[2])
    first = gru(np.concatenate([hidden[0], middle], 1), last)
    np.testing.assert_allclose(output[0], first, rtol=1e-5)
    np.testing.assert_allclose(output[1], last, rtol=1e-5)
    np.testing.assert_allclose(new, [first, last], rtol=1e-5)


def test_in_a_recurrent_net() -> None:
    inputs = tf.placeholder(tf.float32, [None, 4, 5])
    for cell in (grid_rnn.Grid2GRUCell(2), grid_rnn.Grid1BasicLSTMCell(3)):
        outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32, scope=type(cell).__name__)
        assert outputs[0].shape.as_list() == [None, 4, cell.output_size[0]]
    cell = grid_rnn.Grid1BasicRNNCell(3)
    unrolled, _ = tf.nn.static_rnn(cell, tf.unstack(inputs, axis=1), dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([outputs, unrolled], {inputs: np.ones((2, 4, 5))})
    assert all(np.isfinite(each).all() for each in tf.contrib.framework.nest.flatten(found))


def test_no_outputs_and_misfits() -> None:
    silent = grid_rnn.GridRNNCell(2, 2, 0, None, None, 0, output_is_tuple=False)
    row = tf.zeros([1, 2])
    output, state = silent(row, ((row, row),))
    assert output.shape.as_list() == [0, 0] and state[0].c.shape.as_list() == [1, 2]
    with pytest.raises(ValueError, match="dims must be >= 1: 0"):
        grid_rnn.GridRNNCell(2, 0)
    with pytest.raises(ValueError, match=r"Invalid dims: \[0, 2\]. Must be in \[0, 2\)"):
        grid_rnn.GridRNNCell(2, 2, input_dims=[2, 0])
    with pytest.raises(TypeError, match="cell_fn must return an RNNCell instance, saw: <class 'in"):
        grid_rnn.GridRNNCell(2, cell_fn=lambda size: size)
    cell = grid_rnn.Grid2BasicRNNCell(2)
    with pytest.raises(ValueError, match="Expected state as a tuple of 2 element"):
        cell(row, (row,))
    with pytest.raises(ValueError, match="Expect inputs as a tuple of 1 tensors"):
        cell((row, row), (row, row))
