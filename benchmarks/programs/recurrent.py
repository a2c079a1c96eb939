"""Recurrent nets by `dynamic_rnn`, and unrolled."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from programs.program import Build, Program, Step, dense


def cells(tf: Any) -> Any:
    """What `tf.nn.rnn_cell` holds, which TensorFlow 2 keeps for itself."""
    if tf.__name__ == "dataflow":
        return tf.nn.rnn_cell
    return importlib.import_module("tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl")


def lstm(with_lengths: bool, train_step: bool) -> Build:
    """An LSTM of 128 units over 28 steps of 28 numbers, batch 128."""
    batch, steps, units, width = 128, 28, 128, 28

    def build(tf: Any, session: Any) -> Step:
        random = np.random.default_rng(0)
        x = tf.placeholder(tf.float32, [None, steps, width])
        labels = tf.placeholder(tf.int64, [None])
        lengths = tf.placeholder(tf.int32, [None])
        start = tf.random_uniform_initializer(-0.1, 0.1, seed=1)
        with tf.variable_scope("net", initializer=start):
            _, state = tf.nn.dynamic_rnn(
                cells(tf).BasicLSTMCell(units),
                x,
                sequence_length=lengths if with_lengths else None,
                dtype=tf.float32,
            )
        logits = dense(tf, state.h, units, 10, 1)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        feeds = {x: random.random((batch, steps, width), np.float32)}
        fetch = logits
        if with_lengths:
            feeds[lengths] = random.integers(1, steps + 1, batch)
        if train_step:
            fetch = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
            feeds[labels] = random.integers(0, 10, batch)
        session.run(tf.global_variables_initializer())
        return lambda: session.run(fetch, feeds)

    return build


def language_model(tf: Any, session: Any) -> Step:
    """Two layers of 200 LSTM units, unrolled over 20 words, batch 20, 2,000 words: an SGD step."""
    batch, steps, units, words = 20, 20, 200, 2000
    random = np.random.default_rng(0)
    x, labels = (tf.placeholder(tf.int32, [batch, steps]) for _ in range(2))
    start = tf.random_uniform_initializer(-0.1, 0.1, seed=1)
    with tf.variable_scope("words", initializer=start):
        table = tf.get_variable("table", [words, units])
        outputs = tf.unstack(tf.nn.embedding_lookup(table, x), axis=1)
        for layer in range(2):
            cell = cells(tf).BasicLSTMCell(units, name=f"layer{layer}")
            state = cell.zero_state(batch, tf.float32)
            for step in range(steps):
                outputs[step], state = cell(outputs[step], state)
    logits = dense(tf, tf.reshape(tf.stack(outputs, 1), [-1, units]), units, words, 1)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.reshape(labels, [-1]), logits=logits
    )
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
    session.run(tf.global_variables_initializer())
    feeds = {place: random.integers(0, words, (batch, steps)) for place in (x, labels)}
    return lambda: session.run(train, feeds)


RECURRENT = (
    Program("dynamic_rnn, LSTM 28 steps, batch 128, training step", lstm(False, True), 1.0),
    Program("dynamic_rnn with lengths, training step", lstm(True, True), 1.0),
    Program("dynamic_rnn with lengths, inference", lstm(True, False)),
    Program("language model, unrolled LSTM, training step", language_model, 0.9),
)
