"""Nets whose weights lie in one vector, against formulas in numpy, gate by gate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.cudnn_rnn import models
from tests.contrib.recurrent.arrays import ints, run, sigmoid, values

LAYERS, UNITS, STEPS, BATCH, SIZE = 2, 3, 4, 2, 5
GATES = {"LSTM": 4, "GRU": 3, "RNNTanh": 1, "RNNRelu": 1}
X = values(STEPS, BATCH, SIZE, seed=1)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def step(kind: str, w: Any, x: Any, state: Any) -> Any:
    """One row's next state; `w` has the gates' (input, state) weights and biases."""
    of_input = [weights @ x + bias for weights, _, bias, _ in w]
    of_state = [weights @ state[0] + bias for _, weights, _, bias in w]
    if kind == "LSTM":
        i, f, c, o = (a + b for a, b in zip(of_input, of_state, strict=True))
        memory = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(c)
        return sigmoid(o) * np.tanh(memory), memory
    if kind == "GRU":
        r, u = (sigmoid(of_input[gate] + of_state[gate]) for gate in (0, 1))
        return ((1 - u) * np.tanh(of_input[2] + r * of_state[2]) + u * state[0],)
    sums = of_input[0] + of_state[0]
    return (np.tanh(sums) if kind == "RNNTanh" else np.maximum(sums, 0),)


def walked(kind: str, params: Any, ways: int, first: Any, lengths: Any) -> Any:
    """Outputs and last states, row by row."""
    gates, at = GATES[kind], 0

    def taken(*shape: int) -> Any:
        nonlocal at
        at += int(np.prod(shape))
        return params[at - int(np.prod(shape)) : at].reshape(shape)

    sizes = [SIZE if layer == 0 else UNITS * ways for layer in range(LAYERS) for _ in range(ways)]
    weights = [[[taken(UNITS, n) for _ in range(gates)] for n in (size, UNITS)] for size in sizes]
    biases = [[[taken(UNITS) for _ in range(gates)] for _ in range(2)] for _ in sizes]
    assert at == len(params)
    seen, ends = X.astype(np.float64), []
    for layer in range(LAYERS):
        outputs = np.zeros([STEPS, BATCH, UNITS * ways])
        for way in range(ways):
            net = layer * ways + way
            w = list(zip(*weights[net], *biases[net], strict=True))
            last = [each[net].copy() for each in first]
            for row in range(BATCH):
                times = range(int(lengths[row]))
                for time in reversed(times) if way else times:
                    state = step(kind, w, seen[time, row], [each[row] for each in last])
                    outputs[time, row, way * UNITS : (way + 1) * UNITS] = state[0]
                    for each, part in zip(last, state, strict=True):
                        each[row] = part
            ends.append(last)
        seen = outputs
    return seen, [np.stack(each) for each in zip(*ends, strict=True)]


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("cut", [False, True])
def test_nets(kind: str, direction: str, cut: bool) -> None:
    ways = 2 if direction == "bidirectional" else 1
    net = getattr(models, f"Cudnn{kind}")(LAYERS, UNITS, SIZE, direction=direction)
    size = net.params_size()
    (count,), _ = run(size)
    params = values(int(count), seed=2)
    states = 2 if kind == "LSTM" else 1
    first = [values(LAYERS * ways, BATCH, UNITS, seed=n + 3) for n in range(states)]
    lengths = ints([4, 2]) if cut else None
    seen = X.swapaxes(0, 1) if cut else X
    given = [each.swapaxes(0, 1) if cut else each for each in first]
    results = net(
        tf.constant(seen),
        *map(tf.constant, given),
        tf.constant(params),
        sequence_lengths=lengths,
        time_major=not cut,
    )
    canonical = net.params_to_canonical(tf.constant(params))
    again = net.canonical_to_params(*canonical)
    ((got, *last), joined), _ = run(results, again)
    expected, final = walked(kind, params, ways, first, lengths if cut else [STEPS] * 2)
    np.testing.assert_array_equal(joined, params)
    assert size.dtype == tf.int32 and len(last) == states
    for mine, theirs in zip([got, *last], [expected, *final], strict=True):
        theirs = theirs.swapaxes(0, 1) if cut else theirs
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_drops_only_in_training() -> None:
    net = models.CudnnGRU(2, 40, SIZE, dropout=0.9, seed=1)
    params = tf.fill([net.params_size()], 0.1)
    first = tf.zeros([2, BATCH, 40])
    (noisy, quiet), _ = run(net(X, first, params)[0], net(X, first, params, is_training=False)[0])
    assert np.abs(noisy - quiet).max() > 0.02


def test_gradients_reach_the_vector() -> None:
    net = models.CudnnLSTM(1, UNITS, SIZE, dtype=tf.float64)
    params, state = values(120, seed=4, dtype=np.float64), np.zeros([1, BATCH, UNITS])
    fed = tf.placeholder(tf.float64, [120])
    loss = tf.reduce_sum(net(tf.constant(X, tf.float64), state, state, fed)[0])
    with tf.Session() as session:
        slope = session.run(tf.gradients(loss, fed)[0], {fed: params})
        for at in (0, 40, 65, 110):
            near = [params + sign * 1e-6 * (np.arange(120) == at) for sign in (1, -1)]
            up, down = (session.run(loss, {fed: each}) for each in near)
            np.testing.assert_allclose(slope[at], (up - down) / 2e-6, rtol=1e-5, atol=1e-8)


def test_errors() -> None:
    with pytest.raises(ValueError, match="num_proj must be None or 0"):
        models.CudnnLSTM(1, UNITS, SIZE, num_proj=4)
    with pytest.raises(ValueError, match="Only 'unidirectional' and 'bidirectional'"):
        models.CudnnGRU(1, UNITS, SIZE, direction="back")
    with pytest.raises(ValueError, match="input_mode 'skip_input' is not here"):
        models.CudnnGRU(1, UNITS, SIZE, input_mode=models.CUDNN_INPUT_SKIP_MODE)
    net = models.CudnnRNNTanh(1, UNITS, SIZE)
    with pytest.raises(ValueError, match="the net has 2 weights, got 1"):
        net.canonical_to_params([tf.zeros([3])], [])
    with pytest.raises(ValueError, match="the net has 2 biases, got 0"):
        net.canonical_to_params([tf.zeros([3, 5]), tf.zeros([3, 3])], [])
    with pytest.raises(ValueError, match="7"):
        net(tf.zeros([2, 2, SIZE]), tf.zeros([1, 2, UNITS]), tf.zeros([7]))
