"""Programs with loops and conditionals."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Build, Program, Step, floats


def while_loop(tf: Any, session: Any) -> Step:
    """1000 iterations of two small ops."""
    limit = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [32])
    _, y = tf.while_loop(
        lambda i, y: i < limit, lambda i, y: (i + 1, y * 0.999), [tf.constant(0), x]
    )
    value = np.ones(32, np.float32)
    run = session.make_callable(y, feed_list=[limit, x])
    return lambda: run(1000, value)


def while_gradient(tf: Any, session: Any) -> Step:
    """100 iterations of tanh(x w), and the gradient of their end by w."""
    x = tf.placeholder(tf.float32, [8, 16])
    w = tf.Variable(floats(0, 16, 16, scale=0.25))
    _, y = tf.while_loop(
        lambda i, y: i < 100, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w))), [tf.constant(0), x]
    )
    (gradient,) = tf.gradients(tf.reduce_sum(y), [w])
    session.run(tf.global_variables_initializer())
    value = floats(1, 8, 16)
    run = session.make_callable(gradient, feed_list=[x])
    return lambda: run(value)


def cond(tf: Any, session: Any) -> Step:
    """A conditional on 32 floats."""
    x = tf.placeholder(tf.float32, [32])
    flag = tf.placeholder(tf.bool, [])
    y = tf.cond(flag, lambda: x * 2.0 + 1.0, lambda: x - 1.0)
    feeds = {x: np.ones(32, np.float32), flag: True}
    return lambda: session.run(y, feeds)


def lstm(train_step: bool) -> Build:
    """An LSTM of 128 units over 28 steps of 28 numbers, batch 128, by while_loop, TensorArray."""
    steps, batch, units, width = 28, 128, 128, 28

    def build(tf: Any, session: Any) -> Step:
        x = tf.placeholder(tf.float32, [steps, batch, width])
        labels = tf.placeholder(tf.int64, [batch])
        kernel = tf.Variable(floats(0, width + units, 4 * units, scale=0.08))
        bias = tf.Variable(np.zeros(4 * units, np.float32))
        inputs = tf.TensorArray(tf.float32, steps).unstack(x)
        outputs = tf.TensorArray(tf.float32, steps)

        def body(time: Any, c: Any, h: Any, outputs: Any) -> Any:
            joined = tf.concat([inputs.read(time), h], 1)
            gates = tf.nn.bias_add(tf.matmul(joined, kernel), bias)
            i, j, f, o = tf.split(gates, 4, axis=1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
            return time + 1, c, h, outputs.write(time, h)

        zeros = tf.zeros([batch, units])
        _, _, _, outputs = tf.while_loop(
            lambda time, *_: time < steps, body, [tf.constant(0), zeros, zeros, outputs]
        )
        last = outputs.stack()[-1]
        logits = tf.matmul(last, tf.Variable(floats(1, units, 10, scale=0.1)))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        random = np.random.default_rng(0)
        feeds = {x: random.random((steps, batch, width), np.float32)}
        fetch = logits
        if train_step:
            fetch = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
            feeds[labels] = random.integers(0, 10, batch)
        session.run(tf.global_variables_initializer())
        return lambda: session.run(fetch, feeds)

    return build


def map_and_scan(tf: Any, session: Any) -> Step:
    """`map_fn` over 50 vectors of 16 floats and `scan` over its result."""
    x = tf.placeholder(tf.float32, [50, 16])
    mapped = tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
    sums = tf.scan(lambda total, row: 0.9 * total + row, mapped)
    value = floats(0, 50, 16)
    run = session.make_callable(sums, feed_list=[x])
    return lambda: run(value)


CONTROL = (
    Program("while_loop, 1000 iterations of 2 ops", while_loop, 0.7),
    Program("while_loop, 100 steps, gradient", while_gradient),
    Program("cond on 32 floats", cond, 0.15),
    Program("LSTM 28 steps, batch 128, training step", lstm(True), 0.9),
    Program("LSTM 28 steps, batch 128, inference", lstm(False)),
    Program("map_fn and scan over 50 rows", map_and_scan),
)
