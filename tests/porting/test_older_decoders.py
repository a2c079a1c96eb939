"""Decoders of TensorFlow 1.0's tf.contrib.seq2seq against loops in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from tests.contrib.recurrent.arrays import fixed_weights, run, softmax, values

seq2seq: Any = TensorflowModule("tensorflow.contrib.seq2seq")
BATCH, TIME, UNITS, SYMBOLS = 2, 4, 3, 5
X, ENCODED = values(TIME, BATCH, UNITS, seed=1), values(BATCH, UNITS, seed=2)
TABLE, STATES = values(SYMBOLS, UNITS, seed=3), values(BATCH, 6, UNITS, seed=6)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def cell_step(weights: Any, x: Any, state: Any) -> Any:
    kernel, bias = (weights[f"decoder/basic_rnn_cell/{part}"] for part in ("kernel", "bias"))
    return np.tanh(np.concatenate([x, state], 1) @ kernel + bias)


def attention(weights: Any, query: Any, option: str) -> Any:
    keys = STATES @ weights["attention_keys/weights"]
    if option == "luong":
        scores = (keys * query[:, None]).sum(2)
    else:
        moved = (query @ weights["attention_score/attnW"])[:, None]
        scores = (weights["attention_score/attnV"] * np.tanh(keys + moved)).sum(2)
    context = (softmax(scores)[:, :, None] * STATES).sum(1)
    return np.concatenate([query, context], 1) @ weights["attention_construct/weights"]


def decoders(option: str | None, output_fn: Any, most: Any) -> tuple[Any, Any]:
    """The functions for training and for inference, with attention or without."""
    encoded, ends = tf.constant(ENCODED), (tf.constant(TABLE), 1, 0, most, SYMBOLS)
    if option is None:
        return (
            seq2seq.simple_decoder_fn_train(encoded),
            seq2seq.simple_decoder_fn_inference(output_fn, encoded, *ends),
        )
    given = seq2seq.prepare_attention(tf.constant(STATES), option, UNITS)
    return (
        seq2seq.attention_decoder_fn_train(encoded, *given),
        seq2seq.attention_decoder_fn_inference(output_fn, encoded, *given, *ends),
    )


@pytest.mark.parametrize("option", [None, "luong", "bahdanau"])
@pytest.mark.parametrize("time_major", [True, False])
def test_training_and_inference(option: str | None, time_major: bool) -> None:
    lengths, most = [4, 2], 5
    cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)

    def logits(outputs: Any) -> Any:
        return tf.contrib.layers.linear(outputs, SYMBOLS, scope=scope)

    train, infer = decoders(option, logits, most)
    inputs = tf.placeholder_with_default(X if time_major else X.swapaxes(0, 1), [None, None, UNITS])
    with tf.variable_scope("decoder") as scope:
        outputs, last, own = seq2seq.dynamic_rnn_decoder(
            cell, train, inputs, lengths, time_major=time_major, scope=scope
        )
        shown = logits(outputs)
        scope.reuse_variables()
        greedy, _, _ = seq2seq.dynamic_rnn_decoder(cell, infer, time_major=time_major, scope=scope)
    assert own is None
    (got, ended, made, found), weights = run(outputs, last, shown, greedy)
    if not time_major:
        got, made, found = (each.swapaxes(0, 1) for each in (got, made, found))
    dense = weights["decoder/weights"], weights["decoder/biases"]
    np.testing.assert_allclose(made, got @ dense[0] + dense[1], rtol=1e-5, atol=1e-6)

    def seen(x: Any, attended: Any) -> Any:
        return x if option is None else np.concatenate([x, attended], 1)

    state, attended = ENCODED, np.zeros((BATCH, UNITS))
    for time, x in enumerate(X):
        output = cell_step(weights, seen(x, attended), state)
        going = (time < np.array(lengths))[:, None]
        state = np.where(going, output, state)
        attended = output if option is None else attention(weights, output, option)
        np.testing.assert_allclose(got[time], np.where(going, attended, 0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ended, state, rtol=1e-4, atol=1e-5)

    state, attended = ENCODED, np.zeros((BATCH, UNITS))
    symbols, done = np.ones(BATCH, int), np.zeros(BATCH, bool)
    for each in found:
        output = cell_step(weights, seen(TABLE[symbols], attended), state)
        state = np.where(done[:, None], state, output)
        attended = output if option is None else attention(weights, output, option)
        expected = attended @ dense[0] + dense[1]
        np.testing.assert_allclose(each, np.where(done[:, None], 0, expected), rtol=1e-4, atol=1e-5)
        symbols = np.argmax(expected, 1)
        done |= symbols == 0
    assert len(found) == most + 1 or done.all()


def test_all_steps_without_lengths_and_a_state_of_ones_own() -> None:
    def decoder_fn(time: Any, state: Any, given: Any, output: Any, own: Any) -> Any:
        if state is None:
            return None, tf.constant(ENCODED), given, output, tf.constant(0)
        return None, state, given, output, own + 2

    cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
    outputs, _, own = seq2seq.dynamic_rnn_decoder(cell, decoder_fn, X, time_major=True)
    (got, count), _ = run(outputs, own)
    assert got.shape == X.shape and count == 2 * TIME


def test_misfits() -> None:
    cell, train = tf.nn.rnn_cell.BasicRNNCell(3), seq2seq.simple_decoder_fn_train(ENCODED)
    infer = seq2seq.simple_decoder_fn_inference(None, tf.constant(ENCODED), TABLE, 1, 0, 5, SYMBOLS)
    shapeless = tf.placeholder(tf.float32, [2, 3, None])
    for inputs, function, lengths, text in (
        (X[0], train, None, "Inputs must have at least three dimensions"),
        (shapeless, train, None, "Inputs must not be `None` in the feature"),
        (X, train, [[1]], r"must be a vector of length batch_size, but saw shape: \(1, 1\)"),
        (X, infer, None, "Expected cell_input to be None, but saw"),
    ):
        with pytest.raises(ValueError, match=text):
            seq2seq.dynamic_rnn_decoder(cell, function, inputs, lengths)
    *_, construct = seq2seq.prepare_attention(tf.constant(STATES), "other", UNITS)
    with pytest.raises(ValueError, match="Unknown attention option other!"):
        construct(tf.constant(ENCODED), STATES, STATES)
