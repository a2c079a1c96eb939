"""The programs of the local benchmark, written once against TensorFlow 1's vocabulary.

Each takes a library (`dataflow` or `tensorflow.compat.v1`), builds a graph in the default graph and
returns the step to time, together with the session it runs in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = Callable[[], Any]
Build = Callable[[Any, Any], Step]
"""`build(library, session)` gives the step."""


@dataclass(frozen=True)
class Program:
    """A program and the most that its time may be of TensorFlow's."""

    name: str
    build: Build
    limit: float


def feed_scalar(tf: Any, session: Any) -> Step:
    """`run`: feed a scalar, add, fetch."""
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    return lambda: session.run(y, {x: 2.0})


def feed_scalar_callable(tf: Any, session: Any) -> Step:
    """The same through `make_callable`."""
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    run = session.make_callable(y, feed_list=[x])
    return lambda: run(2.0)


def chain(length: int, size: int) -> Build:
    """Additions and multiplications one after the other, on a vector; size 0 is a scalar."""

    def build(tf: Any, session: Any) -> Step:
        x = tf.placeholder(tf.float32, [size] if size else [])
        y = x
        for index in range(length):
            y = y + 1.0 if index % 2 else y * 0.999
        value = np.ones([size] if size else [], np.float32)
        run = session.make_callable(y, feed_list=[x])
        return lambda: run(value)

    return build


def wide_chains(tf: Any, session: Any) -> Step:
    """500 chains of 10 small ops joined by add_n."""
    x = tf.placeholder(tf.float32, [32])
    ends = []
    for index in range(500):
        y = x + float(index)
        for _ in range(9):
            y = y * 0.999
        ends.append(y)
    total = tf.add_n(ends)
    value = np.ones(32, np.float32)
    run = session.make_callable(total, feed_list=[x])
    return lambda: run(value)


def elementwise(tf: Any, session: Any) -> Step:
    """60 elementwise ops on a million floats."""
    x = tf.placeholder(tf.float32, [1_000_000])
    y = x
    for _ in range(20):
        y = tf.maximum(y * 1.001 + 0.5, 0.25)
    total = tf.reduce_sum(y)
    value = np.random.default_rng(0).random(1_000_000, np.float32)
    run = session.make_callable(total, feed_list=[x])
    return lambda: run(value)


def matmul(tf: Any, session: Any) -> Step:
    """One 1024 x 1024 product."""
    value = np.random.default_rng(0).random((1024, 1024), np.float32)
    a = tf.Variable(value)
    product = tf.matmul(a, a)
    session.run(tf.global_variables_initializer())
    run = session.make_callable(product.op)
    return lambda: run()


def eight_products(tf: Any, session: Any) -> Step:
    """Eight independent chains of three 512 x 512 products."""
    ends = []
    for index in range(8):
        value = np.random.default_rng(index).random((512, 512), np.float32) / 256
        a = tf.Variable(value)
        ends.append(tf.reduce_sum(tf.matmul(tf.matmul(tf.matmul(a, a), a), a)))
    total = tf.add_n(ends)
    session.run(tf.global_variables_initializer())
    run = session.make_callable(total)
    return lambda: run()


def _dense(tf: Any, x: Any, rows: int, columns: int, seed: int) -> Any:
    value = np.random.default_rng(seed).normal(0, rows**-0.5, (rows, columns)).astype(np.float32)
    return tf.matmul(x, tf.Variable(value)) + tf.Variable(np.zeros(columns, np.float32))


def mlp_adam(tf: Any, session: Any) -> Step:
    """MLP 784-256-256-10, batch 128: one step of Adam."""
    x = tf.placeholder(tf.float32, [None, 784])
    labels = tf.placeholder(tf.int64, [None])
    hidden = tf.nn.relu(_dense(tf, x, 784, 256, 0))
    hidden = tf.nn.relu(_dense(tf, hidden, 256, 256, 1))
    logits = _dense(tf, hidden, 256, 10, 2)
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
        hidden = tf.nn.relu(_dense(tf, tf.reshape(y, [-1, 7 * 7 * 64]), 7 * 7 * 64, 1024, 2))
        logits = _dense(tf, hidden, 1024, 10, 3)
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


STEPS = (
    Program("run: feed a scalar, add, fetch", feed_scalar, 0.10),
    Program("the same through make_callable", feed_scalar_callable, 0.04),
    Program("chain of 1000 ops on 32 floats", chain(1000, 32), 0.7),
    Program("chain of 5000 ops on 32 floats", chain(5000, 32), 1.0),
    Program("chain of 5000 ops on scalars", chain(5000, 0), 1.0),
    Program("500 chains of 10 ops and add_n", wide_chains, 1.0),
    Program("60 elementwise ops on 1M floats", elementwise, 0.8),
    Program("matmul 1024", matmul, 1.0),
    Program("8 chains of 3 products 512 x 512", eight_products, 1.0),
    Program("MLP 784-256-256-10, Adam step", mlp_adam, 0.85),
    Program("LeNet, batch 128, Adam step", lenet(True), 1.0),
    Program("LeNet, batch 128, inference", lenet(False), 1.0),
)
