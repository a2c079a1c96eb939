"""MinimalRNNCell, CFNCell and NTMCell of tf.contrib.rnn against formulas in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import rnn
from tests.contrib.recurrent.arrays import fixed_weights, run, sigmoid, softmax, values

X = values(3, 2, 5, seed=4)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def steps(cell: Any, initial: Any = None) -> tuple[Any, Any, dict[str, Any]]:
    """Outputs of three steps, the last state and the weights."""
    inputs = tf.constant(X.swapaxes(0, 1))
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, initial_state=initial, dtype=tf.float32)
    (got, last), weights = run(outputs, state)
    return got.swapaxes(0, 1), last, {key.removeprefix("rnn/"): w for key, w in weights.items()}


@pytest.mark.parametrize("activation", ["tanh", tf.nn.relu])
def test_minimal(activation: Any) -> None:
    start = fixed_weights()
    cell = rnn.MinimalRNNCell(4, activation, start, name="cell")
    got, last, weights = steps(cell)
    assert {k: w.shape for k, w in weights.items()} == {"cell/kernel": (13, 4), "cell/bias": (4,)}
    assert (weights["cell/bias"] == 1).all()
    function = np.tanh if activation == "tanh" else lambda x: np.maximum(x, 0)
    state = np.zeros((2, 4))
    for x, output in zip(X, got, strict=True):
        new = function(x @ weights["cell/kernel"][:5])
        joined = np.concatenate([new, state], 1)
        kept = sigmoid(joined @ weights["cell/kernel"][5:] + 1)
        state = kept * state + (1 - kept) * new
        np.testing.assert_allclose(output, state, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last, state, rtol=1e-5, atol=1e-6)


def test_chaos_free() -> None:
    cell = rnn.CFNCell(4, kernel_initializer=fixed_weights(), bias_initializer="zeros")
    got, _, weights = steps(cell)
    kernel, recurrent = weights["cfn_cell/kernel"], weights["cfn_cell/recurrent_kernel"]
    assert kernel.shape == (5, 12) and recurrent.shape == (4, 8)
    assert (weights["cfn_cell/bias"] == np.zeros(8)).all()
    state = np.zeros((2, 4))
    for x, output in zip(X, got, strict=True):
        kept, shut = np.split(sigmoid(state @ recurrent + x @ kernel[:, :8]), 2, 1)
        state = kept * np.tanh(state) + (1 - shut) * np.tanh(x @ kernel[:, 8:])
        np.testing.assert_allclose(output, state, rtol=1e-5, atol=1e-6)


def turing(
    weights: dict[str, Any], reads: int, writes: int, rows: int, size: int, reach: int, limit: float
) -> Any:
    """The outputs of a Turing machine with a BasicRNNCell, and its memory in the end."""

    def weight(name: str) -> Any:
        return weights[f"ntm_cell/{name}"]

    heads, per_head = reads + writes, size + 2 * reach + 4
    controller = [weights[f"ntm_cell/basic_rnn_cell/{part}"] for part in ("kernel", "bias")]
    memory = np.tile(weight("memory"), (2, 1, 1))
    vectors = [np.tile(np.tanh(weight(f"initial_read_vector_{i}")), (2, 1)) for i in range(reads)]
    at = [np.tile(softmax(weight(f"initial_address_weights_{i}")), (2, 1)) for i in range(heads)]
    hidden, outputs = np.zeros((2, 4)), []
    for x in X:
        hidden = np.tanh(np.concatenate([x, *vectors, hidden], 1) @ controller[0] + controller[1])
        said = hidden @ weight("parameters_kernel") + weight("parameters_bias")
        said = np.clip(said, -limit, limit)
        places = []
        for head in range(heads):
            of_head = said[:, head * per_head : (head + 1) * per_head]
            key = np.tanh(of_head[:, :size])
            strength = np.log1p(np.exp(of_head[:, size]))[:, None]
            gate = sigmoid(of_head[:, size + 1])[:, None]
            shifts = softmax(of_head[:, size + 2 : -1])
            sharpness = 1 + np.log1p(np.exp(of_head[:, -1]))[:, None]
            norms = np.linalg.norm(memory, axis=2) * np.linalg.norm(key, axis=1)[:, None]
            likeness = np.einsum("brs,bs->br", memory, key) / (norms + 1e-8)
            gated = gate * softmax(strength * likeness) + (1 - gate) * at[head]
            # Shift j of 0, 1, ..., reach, -reach, ..., -1 moves an address by j rows.
            moves = [*range(reach + 1), *range(-reach, 0)]
            moved = sum(shifts[:, [j]] * np.roll(gated, move, 1) for j, move in enumerate(moves))
            sharp = moved**sharpness
            places.append(sharp / sharp.sum(1, keepdims=True))
        at = places
        vectors = [np.einsum("br,brs->bs", place, memory) for place in at[:reads]]
        changes = said[:, heads * per_head :]
        for index, place in enumerate(at[reads:]):
            erased, added = (
                changes[:, (2 * index + k) * size : (2 * index + k + 1) * size] for k in (0, 1)
            )
            memory = memory * (1 - place[:, :, None] * sigmoid(erased)[:, None])
            memory = memory + place[:, :, None] * np.tanh(added)[:, None]
        output = np.concatenate([hidden, *vectors], 1) @ weight("output_kernel")
        outputs.append(np.clip(output + weight("output_bias"), -limit, limit))
    return outputs, memory, at


@pytest.mark.parametrize(
    ("reads", "writes", "reach"), [(1, 1, 1), (2, 1, 2), (1, 2, 1), (0, 1, 0), (1, 0, 1)]
)
def test_turing_machine(reads: int, writes: int, reach: int) -> None:
    tf.set_random_seed(3)
    cell = rnn.NTMCell(
        tf.nn.rnn_cell.BasicRNNCell(4), 6, 3, reads, writes, reach, output_dim=2, clip_value=1.5
    )
    state = cell.state_size
    assert state.M.as_list() == [18] and state.w_list == [6] * (reads + writes)
    got, last, weights = steps(cell, cell.zero_state(2, tf.float32))
    outputs, memory, at = turing(weights, reads, writes, 6, 3, reach, 1.5)
    np.testing.assert_allclose(got, outputs, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last.M, memory, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last.w_list, at, rtol=1e-4, atol=1e-5)
    assert last.time == 3 and isinstance(last, rnn.NTMControllerState)


def test_a_turing_machine_has_the_size_of_its_inputs() -> None:
    cell = rnn.NTMCell(tf.nn.rnn_cell.GRUCell(4), 5, 2, 1, 1)
    assert cell.output_size is None
    x = tf.placeholder(tf.float32, [None, 5])
    output, state = cell(x, cell.zero_state(tf.shape(x)[0], tf.float32))
    output, _ = cell(output, state)
    gradients = tf.gradients(tf.reduce_sum(output), tf.trainable_variables())
    assert cell.output_size == 5 and None not in gradients
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(output, {x: X[0]}).shape == (2, 5)
    with pytest.raises(TypeError, match="NTM RNN controller cell"):
        rnn.NTMCell(3, 5, 2, 1, 1)
