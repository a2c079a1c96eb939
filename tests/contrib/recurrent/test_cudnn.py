"""Nets of tf.contrib.cudnn_rnn against formulas in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import cudnn_rnn, rnn
from tests.contrib.recurrent.arrays import fixed_weights, floats, ints, run, sigmoid, values

LAYERS, UNITS, STEPS, BATCH, SIZE = 2, 3, 4, 2, 5
X = values(STEPS, BATCH, SIZE, seed=1)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def step(kind: str, w: dict[str, Any], x: Any, state: Any) -> Any:
    joined = np.concatenate([x, state[0]], 1)
    if kind == "LSTM":
        i, j, f, o = np.split(joined @ w["kernel"] + w["bias"], 4, 1)
        c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(j)
        return np.tanh(c) * sigmoid(o), c
    if kind == "GRU":
        r, u = np.split(sigmoid(joined @ w["gates/kernel"] + w["gates/bias"]), 2, 1)
        part = "candidate/{}_projection/{}".format
        seen = x @ w[part("input", "kernel")] + w[part("input", "bias")]
        old = state[0] @ w[part("hidden", "kernel")] + w[part("hidden", "bias")]
        return ((1 - u) * np.tanh(seen + r * old) + u * state[0],)
    sums = joined @ w["kernel"] + w["bias"]
    return (np.tanh(sums) if kind == "RNNTanh" else np.maximum(sums, 0),)


KINDS = ("LSTM", "GRU", "RNNTanh", "RNNRelu")
CELLS = {"LSTM": "cudnn_compatible_lstm_cell", "GRU": "cudnn_compatible_gru_cell"}


def walked(kind: str, weights: Any, name: str, ways: int, first: Any, lengths: Any) -> Any:
    """Outputs and last states, row by row."""
    seen, ends = X.astype(np.float64), []
    cell = CELLS.get(kind, "cudnn_compatible_rnn_cell")
    for layer in range(LAYERS):
        outputs = np.zeros([STEPS, BATCH, UNITS * ways])
        for way in range(ways):
            prefix = f"{name}/rnn/multi_rnn_cell/cell_{layer}/{cell}/"
            if ways == 2:
                inner = f"bidirectional_rnn/{('fw', 'bw')[way]}"
                prefix = f"{name}/stack_bidirectional_rnn/cell_{layer}/{inner}/{cell}/"
            w = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
            last = [each[layer * ways + way].copy() for each in first]
            for row in range(BATCH):
                state = tuple(each[row : row + 1] for each in last)
                times = range(int(lengths[row]))
                for time in reversed(times) if way else times:
                    state = step(kind, w, seen[time, row : row + 1], state)
                    outputs[time, row, way * UNITS : (way + 1) * UNITS] = state[0]
                for each, part in zip(last, state, strict=True):
                    each[row] = part
            ends.append(last)
        seen = outputs
    return seen, [np.stack(each) for each in zip(*ends, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("cut", [False, True])
def test_nets(kind: str, direction: str, cut: bool) -> None:
    ways = 2 if direction == "bidirectional" else 1
    states = 2 if kind == "LSTM" else 1
    first = tuple(values(LAYERS * ways, BATCH, UNITS, seed=n) for n in range(states))
    lengths = ints([4, 2])
    net = getattr(cudnn_rnn, f"Cudnn{kind}")(
        LAYERS,
        UNITS,
        direction=direction,
        kernel_initializer=fixed_weights(),
        bias_initializer=fixed_weights(),
        name="net",
    )
    outputs, ends = net(
        tf.constant(X),
        initial_state=tuple(map(tf.constant, first)) if cut else None,
        sequence_lengths=lengths if cut else None,
    )
    (got, last), weights = run(outputs, ends)
    given = first if cut else tuple(0 * each for each in first)
    expected, final = walked(kind, weights, "net", ways, given, lengths if cut else [STEPS] * 2)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    assert len(last) == states and net.num_dirs == ways and net.input_size == SIZE
    for mine, theirs in zip(last, final, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)
    gates = {"LSTM": 4, "GRU": 3}.get(kind, 1)
    shapes = net.canonical_weight_shapes
    assert shapes[0] == (UNITS, SIZE) and len(shapes) == 2 * gates * LAYERS * ways
    assert len(net.canonical_bias_shapes) == len(shapes)
    assert len(weights) == (6 if kind == "GRU" else 2) * LAYERS * ways


def test_checkpoints_are_those_of_cells(tmp_path: Path) -> None:
    net = cudnn_rnn.CudnnLSTM(LAYERS, UNITS)
    outputs, _ = net(tf.constant(X))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        expected = session.run(outputs)
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.variable_scope("cudnn_lstm"):
        cells = [cudnn_rnn.CudnnCompatibleLSTMCell(UNITS) for _ in range(LAYERS)]
        stacked = tf.nn.rnn_cell.MultiRNNCell(cells)
        outputs, _ = tf.nn.dynamic_rnn(stacked, tf.constant(X), dtype=tf.float32, time_major=True)
        with tf.Session() as session:
            tf.train.Saver().restore(session, path)
            np.testing.assert_allclose(session.run(outputs), expected, rtol=1e-5, atol=1e-7)


def test_other_types_orders_and_dropout() -> None:
    wide = cudnn_rnn.CudnnLSTM(1, UNITS, dtype=tf.float64, kernel_initializer=fixed_weights())
    first, _ = wide(tf.constant(X.astype(np.float64)))
    second, _ = wide(tf.constant(X.astype(np.float64).swapaxes(0, 1)), time_major=False)
    dropped = cudnn_rnn.CudnnGRU(2, 40, dropout=0.9, seed=1)
    noisy, _ = dropped(tf.constant(X))
    quiet, _ = dropped(tf.constant(X), training=False)
    (one, other, loud, still), _ = run(first, second, noisy, quiet)
    assert one.dtype == np.float64
    np.testing.assert_allclose(one, other.swapaxes(0, 1), rtol=1e-12)
    assert np.abs(loud - still).max() > 0.05


def test_learns() -> None:
    net = cudnn_rnn.CudnnLSTM(1, 8, direction="bidirectional")
    outputs, _ = net(tf.constant(X))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(outputs, 2) - floats(X.sum(2))))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(60):
            session.run(train)
        assert session.run(loss) < before / 10


def test_cells_and_errors() -> None:
    assert issubclass(cudnn_rnn.CudnnCompatibleLSTMCell, rnn.LSTMBlockCell)
    with tf.Graph().as_default():
        cell = cudnn_rnn.CudnnCompatibleGRUCell(3)
        cell(tf.ones([2, 4]), tf.zeros([2, 3]))
        assert [each.op.name.split("/", 1)[1] for each in tf.global_variables()] == [
            "gates/kernel",
            "gates/bias",
            "candidate/input_projection/kernel",
            "candidate/hidden_projection/kernel",
            "candidate/input_projection/bias",
            "candidate/hidden_projection/bias",
        ]
    with pytest.raises(ValueError, match="'input_size' is unknown"):
        _ = cudnn_rnn.CudnnGRU(1, 2).input_size
    with pytest.raises(ValueError, match="Only 'unidirectional' and 'bidirectional'"):
        cudnn_rnn.CudnnGRU(1, 2, direction="back")
    with pytest.raises(ValueError, match="input_mode 'skip_input' is not here"):
        cudnn_rnn.CudnnGRU(1, 2, input_mode="skip_input")
    with pytest.raises(ValueError, match="Only support float16, float32, float64"):
        cudnn_rnn.CudnnGRU(1, 2, dtype=tf.int32)
    with pytest.raises(ValueError, match="Expecting input_shape with 3 dims, got 2"):
        cudnn_rnn.CudnnGRU(1, 2)(tf.zeros([2, 3]))
    with pytest.raises(TypeError, match="Invalid initial_state type"):
        cudnn_rnn.CudnnGRU(1, 2)(tf.zeros([2, 3, 4]), initial_state=tf.zeros([1, 3, 2]))
