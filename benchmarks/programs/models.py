"""Models outside of the targets: attention, embeddings, batch normalization, ..."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from programs.program import Build, Program, Step, dense, floats


def _layer_norm(tf: Any, x: Any, width: int) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    scale = tf.Variable(np.ones(width, np.float32))
    offset = tf.Variable(np.zeros(width, np.float32))
    return (x - mean) * tf.rsqrt(variance + 1e-6) * scale + offset


def attention(train_step: bool) -> Build:
    """A transformer block: batch 8, 64 positions, width 128, 4 heads; forward or an SGD step."""
    batch, length, width, heads = 8, 64, 128, 4
    head = width // heads

    def build(tf: Any, session: Any) -> Step:
        x = tf.placeholder(tf.float32, [batch, length, width])

        def heads_of(seed: int) -> Any:
            flat = dense(tf, tf.reshape(x, [-1, width]), width, width, seed)
            return tf.transpose(tf.reshape(flat, [batch, length, heads, head]), [0, 2, 1, 3])

        query, key, value = (heads_of(seed) for seed in range(3))
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) * head**-0.5)
        mixed = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
        projected = dense(tf, tf.reshape(mixed, [-1, width]), width, width, 3)
        y = _layer_norm(tf, tf.reshape(x, [-1, width]) + projected, width)
        inner = dense(tf, y, width, 4 * width, 4)
        gelu = 0.5 * inner * (1.0 + tf.erf(inner * 0.7071))
        y = _layer_norm(tf, y + dense(tf, gelu, 4 * width, width, 5), width)
        fetch = y
        if train_step:
            loss = tf.reduce_mean(tf.square(y[:, :1] - 1.0))
            fetch = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(tf.global_variables_initializer())
        feeds = {x: floats(9, batch, length, width)}
        return lambda: session.run(fetch, feeds)

    return build


def encoder(tf: Any, session: Any) -> Step:
    """BERT's base encoder: 12 layers of 768 numbers and 12 heads, on 128 tokens: forward."""
    length, width, heads, layers = 128, 768, 12, 12
    x = tf.placeholder(tf.float32, [length, width])
    seeds = itertools.count(1)

    def layer(y: Any, rows: int, columns: int) -> Any:
        ends = 1.7 * rows**-0.5
        start = tf.random_uniform([rows, columns], -ends, ends, seed=next(seeds))
        return tf.nn.bias_add(
            tf.matmul(y, tf.Variable(start)), tf.Variable(np.zeros(columns, np.float32))
        )

    def by_heads(y: Any) -> Any:
        return tf.transpose(tf.reshape(y, [1, length, heads, width // heads]), [0, 2, 1, 3])

    y = x
    for _ in range(layers):
        query, key, value = (by_heads(layer(y, width, width)) for _ in range(3))
        scores = tf.matmul(query, key, transpose_b=True) * (width // heads) ** -0.5
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
        y = _layer_norm(tf, y + layer(tf.reshape(mixed, [-1, width]), width, width), width)
        inner = layer(y, width, 4 * width)
        cubic = inner + 0.044715 * tf.pow(inner, 3)
        gelu = inner * (0.5 * (1.0 + tf.tanh((2 / np.pi) ** 0.5 * cubic)))
        y = _layer_norm(tf, y + layer(gelu, 4 * width, width), width)
    session.run(tf.global_variables_initializer())
    feeds = {x: floats(9, length, width)}
    return lambda: session.run(y, feeds)


def embedding(tf: Any, session: Any) -> Step:
    """Bags of 20 words out of 50,000, 64 numbers each, batch 256: SGD with a sparse gradient."""
    words = tf.placeholder(tf.int64, [None, 20])
    labels = tf.placeholder(tf.float32, [None])
    table = tf.Variable(floats(0, 50_000, 64, scale=0.05))
    bag = tf.reduce_mean(tf.nn.embedding_lookup(table, words), 1)
    logits = tf.squeeze(dense(tf, bag, 64, 1, 1), 1)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
    session.run(tf.global_variables_initializer())
    random = np.random.default_rng(0)
    feeds = {
        words: random.integers(0, 50_000, (256, 20)),
        labels: random.integers(0, 2, 256).astype(np.float32),
    }
    return lambda: session.run(train, feeds)


def embedding_adam(tf: Any, session: Any) -> Step:
    """Skip-gram with sampled scores: 10,000 x 64 tables, batch 512, Adam on sparse gradients."""
    words = tf.placeholder(tf.int64, [512])
    others = tf.placeholder(tf.int64, [512, 6])
    labels = tf.constant(np.eye(6, dtype=np.float32)[[0] * 512])
    inputs = tf.Variable(floats(0, 10_000, 64, scale=0.05))
    outputs = tf.Variable(floats(1, 10_000, 64, scale=0.05))
    one = tf.expand_dims(tf.nn.embedding_lookup(inputs, words), 1)
    scores = tf.reduce_sum(one * tf.nn.embedding_lookup(outputs, others), 2)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=scores)
    train = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(losses))
    session.run(tf.global_variables_initializer())
    random = np.random.default_rng(0)
    feeds = {
        words: random.integers(0, 10_000, 512),
        others: random.integers(0, 10_000, (512, 6)),
    }
    return lambda: session.run(train, feeds)


def batch_norm_net(tf: Any, session: Any) -> Step:
    """Two 3x3 convolutions with fused batch normalization on 32 x 16 x 16 x 16: an SGD step."""
    x = tf.placeholder(tf.float32, [None, 16, 16, 16])
    y = x
    for index in range(2):
        kernel = tf.Variable(floats(index, 3, 3, 16, 16, scale=0.08))
        y = tf.nn.conv2d(y, kernel, strides=[1, 1, 1, 1], padding="SAME")
        scale = tf.Variable(np.ones(16, np.float32))
        offset = tf.Variable(np.zeros(16, np.float32))
        y = tf.nn.relu(tf.nn.fused_batch_norm(y, scale, offset)[0])
    loss = tf.reduce_mean(tf.square(y - 1.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    feeds = {x: floats(5, 32, 16, 16, 16)}
    return lambda: session.run(train, feeds)


def dense_batch_norm(tf: Any, session: Any) -> Step:
    """256-256-256 with batch normalization by moments, batch 128: an SGD step."""
    x = tf.placeholder(tf.float32, [128, 256])
    y = x
    for index in range(2):
        y = dense(tf, y, 256, 256, index)
        mean, variance = tf.nn.moments(y, [0])
        scale = tf.Variable(np.ones(256, np.float32))
        offset = tf.Variable(np.zeros(256, np.float32))
        y = tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, offset, scale, 1e-3))
    loss = tf.reduce_mean(tf.square(y - 1.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    feeds = {x: floats(5, 128, 256)}
    return lambda: session.run(train, feeds)


def autoencoder(tf: Any, session: Any) -> Step:
    """784-128-32-128-784 with dropout, batch 64: a step of RMSProp."""
    x = tf.placeholder(tf.float32, [None, 784])
    y = tf.nn.dropout(x, rate=0.1, seed=1)
    sizes = (784, 128, 32, 128, 784)
    for index, (rows, columns) in enumerate(itertools.pairwise(sizes)):
        y = tf.nn.sigmoid(dense(tf, y, rows, columns, index))
    loss = tf.reduce_mean(tf.square(y - x))
    train = tf.train.RMSPropOptimizer(1e-3).minimize(loss)
    session.run(tf.global_variables_initializer())
    feeds = {x: np.random.default_rng(0).random((64, 784), np.float32)}
    return lambda: session.run(train, feeds)


MODELS = (
    Program("attention block, forward", attention(False)),
    Program("attention block, SGD step", attention(True)),
    Program("encoder of 12 layers, 128 tokens, forward", encoder, 0.95),
    Program("embedding bags 50,000 x 64, sparse SGD", embedding),
    Program("skip-gram 10,000 x 64, sparse Adam", embedding_adam),
    Program("2 convs with fused batch norm, SGD", batch_norm_net),
    Program("dense net with batch norm, SGD step", dense_batch_norm),
    Program("autoencoder with dropout, RMSProp", autoencoder),
)
