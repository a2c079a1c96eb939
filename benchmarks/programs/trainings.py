"""Training steps of many short operations beside each other, or with much that is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Program, Step, dense, floats
from programs.recurrent import cells


def tagger(tf: Any, session: Any) -> Step:
    """Both directions of an LSTM of 100 units over up to 40 words, batch 32, with lengths, Adam."""
    batch, steps, units, words, tags = 32, 40, 100, 5000, 9
    random = np.random.default_rng(0)
    x, labels = (tf.placeholder(tf.int32, [None, None]) for _ in range(2))
    lengths = tf.placeholder(tf.int32, [None])
    start = tf.random_uniform_initializer(-0.1, 0.1, seed=1)
    with tf.variable_scope("tagger", initializer=start):
        table = tf.get_variable("table", [words, units])
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(
            cells(tf).BasicLSTMCell(units),
            cells(tf).BasicLSTMCell(units),
            tf.nn.embedding_lookup(table, x),
            sequence_length=lengths,
            dtype=tf.float32,
        )
    flat = tf.reshape(tf.concat(outputs, 2), [-1, 2 * units])
    logits = tf.reshape(dense(tf, flat, 2 * units, tags, 2), [batch, -1, tags])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    kept = tf.boolean_mask(losses, tf.sequence_mask(lengths, tf.shape(x)[1]))
    train = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(kept))
    counts = random.integers(5, steps + 1, batch)
    counts[0] = steps
    feeds = {
        x: random.integers(0, words, (batch, steps)),
        labels: random.integers(0, tags, (batch, steps)),
        lengths: counts,
    }
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def wide_and_deep(tf: Any, session: Any) -> Step:
    """Ten columns of 1,000 kinds and thirteen numbers, batch 256, three layers, Adagrad."""
    batch, columns, kinds, width, numbers = 256, 10, 1000, 16, 13
    random = np.random.default_rng(0)
    ids = tf.placeholder(tf.int32, [None, columns])
    given = tf.placeholder(tf.float32, [None, numbers])
    labels = tf.placeholder(tf.float32, [None, 1])
    parts, wide = [given], [dense(tf, given, numbers, 1, 0)]
    for i in range(columns):
        table = tf.Variable(floats(i, kinds, width, scale=0.1))
        weights = tf.Variable(floats(100 + i, kinds, 1, scale=0.1))
        parts.append(tf.nn.embedding_lookup(table, ids[:, i]))
        wide.append(tf.nn.embedding_lookup(weights, ids[:, i]))
    h, size = tf.concat(parts, 1), numbers + columns * width
    for i, units in enumerate((256, 128, 64)):
        h, size = tf.nn.relu(dense(tf, h, size, units, 200 + i)), units
    logits = dense(tf, h, size, 1, 300) + tf.add_n(wide)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    train = tf.train.AdagradOptimizer(0.05).minimize(tf.reduce_mean(losses))
    feeds = {
        ids: random.integers(0, kinds, (batch, columns)),
        given: random.standard_normal((batch, numbers), np.float32),
        labels: random.integers(0, 2, (batch, 1)).astype(np.float32),
    }
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


def graph_convolutions(tf: Any, session: Any) -> Step:
    """Two graph convolutions over 2,708 nodes of 1,433 features, dropout from a seed, Adam."""
    nodes, features, units, classes, edges = 2708, 1433, 16, 7, 13_264
    random = np.random.default_rng(0)
    places = np.unique(random.integers(0, nodes, (edges, 2)), axis=0)
    adjacency = tf.sparse_placeholder(tf.float32, [nodes, nodes])
    x = tf.placeholder(tf.float32, [nodes, features])
    labels = tf.placeholder(tf.int32, [nodes])
    h = x
    for i, (size, count) in enumerate(((features, units), (units, classes))):
        weights = tf.Variable(floats(i, size, count, scale=size**-0.5))
        kept = tf.nn.dropout(tf.nn.relu(h) if i else h, rate=0.5, seed=i + 1)
        h = tf.sparse_tensor_dense_matmul(adjacency, tf.matmul(kept, weights))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
    train = tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(losses))
    feeds = {
        adjacency: (places, random.random(len(places), np.float32), (nodes, nodes)),
        x: (random.random((nodes, features)) < 0.01).astype(np.float32),
        labels: random.integers(0, classes, nodes),
    }
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


TRAININGS: tuple[Program, ...] = (
    Program("training: LSTM in both directions, lengths", tagger),
    Program("training: wide and deep, 10 columns", wide_and_deep),
    Program("training: graph convolutions, dropout", graph_convolutions),
)
