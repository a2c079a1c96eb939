"""The nets among the targets, and small relatives of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Build, Program, Step, dense


def mlp_adam(tf: Any, session: Any) -> Step:
    """MLP 784-256-256-10, batch 128: one step of Adam."""
    x = tf.placeholder(tf.float32, [None, 784])
    labels = tf.placeholder(tf.int64, [None])
    hidden = tf.nn.relu(dense(tf, x, 784, 256, 0))
    hidden = tf.nn.relu(dense(tf, hidden, 256, 256, 1))
    logits = dense(tf, hidden, 256, 10, 2)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    train = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(losses))
    session.run(tf.global_variables_initializer())
    random = np.random.default_rng(0)
    feeds = {x: random.random((128, 784), np.float32), labels: random.integers(0, 10, 128)}
    return lambda: session.run(train, feeds)


def _conv(tf: Any, x: Any, shape: tuple[int, int, int, int], seed: int) -> Any:
    kernel = np.random.default_rng(seed).normal(0, 0.05, shape).astype(np.float32)
    y = tf.nn.conv2d(x, tf.Variable(kernel), strides=[1, 1, 1, 1], padding="SAME")
    y = tf.nn.relu(tf.nn.bias_add(y, tf.Variable(np.zeros(shape[-1], np.float32))))
    return tf.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def lenet(train_step: bool) -> Build:
    """LeNet (5x5x32, 5x5x64, 1024), batch 128: a step of Adam, or inference."""

    def build(tf: Any, session: Any) -> Step:
        x = tf.placeholder(tf.float32, [None, 28, 28, 1])
        labels = tf.placeholder(tf.int64, [None])
        y = _conv(tf, _conv(tf, x, (5, 5, 1, 32), 0), (5, 5, 32, 64), 1)
        hidden = tf.nn.relu(dense(tf, tf.reshape(y, [-1, 7 * 7 * 64]), 7 * 7 * 64, 1024, 2))
        logits = dense(tf, hidden, 1024, 10, 3)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        random = np.random.default_rng(0)
        feeds = {x: random.random((128, 28, 28, 1), np.float32)}
        fetch = logits
        if train_step:
            fetch = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(losses))
            feeds[labels] = random.integers(0, 10, 128)
        session.run(tf.global_variables_initializer())
        return lambda: session.run(fetch, feeds)

    return build


def tiny_net(tf: Any, session: Any) -> Step:
    """2-8-1 net on the four points of XOR: one step of gradient descent."""
    x = tf.placeholder(tf.float32, [None, 2])
    wanted = tf.placeholder(tf.float32, [None, 1])
    logits = dense(tf, tf.tanh(dense(tf, x, 2, 8, 0)), 8, 1, 1)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)
    loss = tf.reduce_mean(losses)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    session.run(tf.global_variables_initializer())
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    feeds = {x: points, wanted: np.array([[0], [1], [1], [0]], np.float32)}
    return lambda: session.run([train, loss], feeds)


def regression(tf: Any, session: Any) -> Step:
    """Linear regression on 1000 x 20 with momentum, loss and step counter fetched."""
    random = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 20])
    y = tf.placeholder(tf.float32, [None, 1])
    step = tf.Variable(0, trainable=False, dtype=tf.int64)
    loss = tf.reduce_mean(tf.square(dense(tf, x, 20, 1, 0) - y))
    train = tf.train.MomentumOptimizer(1e-3, 0.9).minimize(loss, global_step=step)
    session.run(tf.global_variables_initializer())
    feeds = {x: random.random((1000, 20), np.float32), y: random.random((1000, 1), np.float32)}
    return lambda: session.run([train, loss, step], feeds)


def two_towers(tf: Any, session: Any) -> Step:
    """Two towers 256-256-64 on a batch of 256, compared by their products: one step of SGD."""
    random = np.random.default_rng(0)
    ends, feeds = [], {}
    for tower in range(2):
        x = tf.placeholder(tf.float32, [256, 256])
        feeds[x] = random.random((256, 256), np.float32)
        hidden = tf.nn.relu(dense(tf, x, 256, 256, 2 * tower))
        ends.append(tf.nn.l2_normalize(dense(tf, hidden, 256, 64, 2 * tower + 1), 1))
    scores = 10.0 * tf.matmul(ends[0], ends[1], transpose_b=True)
    labels = tf.range(256)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
    session.run(tf.global_variables_initializer())
    return lambda: session.run(train, feeds)


NETS = (
    Program("MLP 784-256-256-10, Adam step", mlp_adam, 0.85),
    Program("LeNet, batch 128, Adam step", lenet(True), 1.0),
    Program("LeNet, batch 128, inference", lenet(False), 1.0),
    Program("XOR net 2-8-1, SGD step", tiny_net),
    Program("linear regression 1000 x 20, momentum", regression),
    Program("two towers 256-256-64, SGD step", two_towers),
)
