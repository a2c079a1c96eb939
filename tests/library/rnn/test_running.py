"""Recurrent nets at run time: they learn, and say what is wrong with lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.proto.rewriter_config_pb2 import RewriterConfig


def test_a_net_learns(session_factory: Any) -> None:
    """Which of two sequences of different lengths began with a larger number."""
    random = np.random.default_rng(0)
    sequences = random.uniform(-1, 1, [32, 6, 2]).astype(np.float32)
    lengths = random.integers(2, 7, 32)
    for row, length in zip(sequences, lengths, strict=True):
        row[length:] = 9.0
    wanted = (sequences[:, 0, 0] > sequences[:, 0, 1]).astype(np.int64)
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, None, 2])
        ends = tf.placeholder(tf.int32, [None])
        cells = tf.nn.rnn_cell
        with tf.device("/cpu:1"):
            _, states = tf.nn.bidirectional_dynamic_rnn(
                cells.LSTMCell(8, use_peepholes=True),
                cells.MultiRNNCell([cells.GRUCell(8), cells.ResidualWrapper(cells.GRUCell(8))]),
                x,
                ends,
                dtype=tf.float32,
                swap_memory=True,
            )
        logits = tf.layers.dense(tf.concat([states[0].h, states[1][-1]], 1), 2)
        loss = tf.losses.sparse_softmax_cross_entropy(wanted, logits)
        train = tf.train.AdamOptimizer(0.05).minimize(loss)
        session = session_factory(graph, tf.ConfigProto(device_count={"CPU": 2}))
        session.run(tf.global_variables_initializer())
        feeds = {x: sequences, ends: lengths}
        first = session.run(loss, feeds)
        for _ in range(30):
            session.run(train, feeds)
        assert session.run(loss, feeds) < first / 4


def test_wrong_number_of_lengths(session_factory: Any) -> None:
    with tf.Graph().as_default() as graph:
        ends = tf.placeholder(tf.int32, [None], name="ends")
        x = tf.ones([2, 3, 4])
        outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), x, ends, dtype=tf.float32)
        session = session_factory(graph)
        session.run(tf.global_variables_initializer())
        expected = r"Expected shape for Tensor rnn/sequence_length:0 is(.|\n)*but saw shape"
        with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
            session.run(outputs, {ends: [1, 2, 3]})


@pytest.mark.parametrize("loops", ["as code", "in the executor"])
def test_outputs_behind_the_ends(loops: str) -> None:
    config = tf.ConfigProto()
    if loops == "in the executor":
        config.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF
    sequences = np.random.default_rng(1).uniform(-1, 1, [3, 4, 2])
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [None, None, 2])
        outputs, state = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.BasicRNNCell(2), x, [4, 0, 2], dtype=tf.float64
        )
        kernel = np.random.default_rng(2).uniform(-1, 1, [4, 2])
        with tf.Session(graph=graph, config=config) as session:
            session.run(tf.global_variables_initializer())
            tf.trainable_variables()[0].load(kernel, session)
            got, last = session.run([outputs, state], {x: sequences})
    expected = np.zeros([3, 4, 2])
    ends = np.zeros([3, 2])
    for row, length in enumerate([4, 0, 2]):
        for time in range(length):
            ends[row] = np.tanh(np.concatenate([sequences[row, time], ends[row]]) @ kernel)
            expected[row, time] = ends[row]
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    np.testing.assert_allclose(last, ends, rtol=1e-12)


@pytest.mark.parametrize(("known", "fed"), [([2, None], [2, 0, 2]), ([None, None], [0, 3, 2])])
def test_no_sequences_or_steps(known: list[Any], fed: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [*known, 2])
        outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3), x, dtype=tf.float32)
        gradients = tf.gradients([outputs, state.c], tf.trainable_variables())
        session.run(tf.global_variables_initializer())
        got, last, changes = session.run([outputs, state, gradients], {x: np.zeros(fed)})
        assert got.shape == (fed[0], fed[1], 3)
        np.testing.assert_array_equal(last.h, np.zeros([fed[0], 3]))
        assert not any(np.any(each) for each in changes)


@pytest.mark.parametrize("runs", ["dynamic", "static"])
def test_cells_of_keras_run_in_loops(runs: str) -> None:
    inputs = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
    lengths = [3, 1]
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.keras.layers.SimpleRNNCell(5)
        if runs == "dynamic":
            output, state = tf.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)
        else:
            steps = tf.unstack(tf.constant(inputs), axis=1)
            outputs, state = tf.nn.static_rnn(
                cell, steps, sequence_length=lengths, dtype=tf.float32
            )
            output = tf.stack(outputs, axis=1)
        weights = [np.full(each.shape.as_list(), 0.1, np.float32) for each in cell.weights]
        cell.set_weights(weights)
        found, last = session.run([output, state])
    kernel, recurrent, bias = weights
    before = np.zeros([2, 5], np.float32)
    for time in range(3):
        after = np.tanh(inputs[:, time] @ kernel + before @ recurrent + bias)
        goes_on = time < np.array(lengths)[:, None]
        np.testing.assert_allclose(found[:, time], after * goes_on, rtol=1e-5)
        before = np.where(goes_on, after, before)
    np.testing.assert_allclose(last, before, rtol=1e-5)


def test_weights_of_a_cell_are_set_and_counted() -> None:
    with tf.Graph().as_default(), tf.Session():
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        cell.build([None, 1])
        given = [np.arange(6.0).reshape(3, 2), np.ones([2])]
        cell.set_weights(given)
        assert [each.tolist() for each in cell.get_weights()] == [each.tolist() for each in given]
        assert cell.count_params() == 8
        with pytest.raises(ValueError, match="expecting 2 weights"):
            cell.set_weights(given[:1])
        with pytest.raises(ValueError, match="not compatible with provided weight shape"):
            cell.set_weights(given[::-1])
