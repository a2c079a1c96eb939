"""Programs whose cost is a few large kernels: elementwise work, products, convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Build, Program, Step, floats


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
    a = tf.Variable(floats(0, 1024, 1024))
    product = tf.matmul(a, a)
    session.run(tf.global_variables_initializer())
    run = session.make_callable(product.op)
    return lambda: run()


def eight_products(tf: Any, session: Any) -> Step:
    """Eight independent chains of three 512 x 512 products."""
    ends = []
    for index in range(8):
        a = tf.Variable(floats(index, 512, 512, scale=1 / 256))
        ends.append(tf.reduce_sum(tf.matmul(tf.matmul(tf.matmul(a, a), a), a)))
    total = tf.add_n(ends)
    session.run(tf.global_variables_initializer())
    run = session.make_callable(total)
    return lambda: run()


def small_products(tf: Any, session: Any) -> Step:
    """32 independent 64 x 64 products, each with a bias and a relu."""
    x = tf.placeholder(tf.float32, [64, 64])
    ends = []
    for index in range(32):
        weights = tf.Variable(floats(index, 64, 64, scale=1 / 8))
        ends.append(tf.nn.relu(tf.matmul(x, weights) + tf.Variable(floats(index, 64))))
    total = tf.add_n(ends)
    session.run(tf.global_variables_initializer())
    value = floats(99, 64, 64)
    run = session.make_callable(total, feed_list=[x])
    return lambda: run(value)


def convolution(size: int, channels: int, filters: int, width: int, batch: int) -> Build:
    """One convolution with square filters of `width`, stride 1, padding SAME."""

    def build(tf: Any, session: Any) -> Step:
        images = tf.Variable(floats(0, batch, size, size, channels))
        kernel = tf.Variable(floats(1, width, width, channels, filters, scale=0.05))
        y = tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME")
        session.run(tf.global_variables_initializer())
        run = session.make_callable(y.op)
        return lambda: run()

    return build


def k_means(tf: Any, session: Any) -> Step:
    """A step of k-means: 20,000 points in 16 dimensions, 64 centres."""
    points = tf.Variable(floats(0, 20_000, 16))
    centres = tf.Variable(floats(1, 64, 16))
    distances = (
        tf.reduce_sum(tf.square(points), 1, keepdims=True)
        - 2.0 * tf.matmul(points, centres, transpose_b=True)
        + tf.reduce_sum(tf.square(centres), 1)
    )
    nearest = tf.argmin(distances, 1)
    sums = tf.unsorted_segment_sum(points, nearest, 64)
    counts = tf.unsorted_segment_sum(tf.ones([20_000, 1]), nearest, 64)
    update = tf.assign(centres, sums / tf.maximum(counts, 1.0))
    session.run(tf.global_variables_initializer())
    run = session.make_callable(update.op)
    return lambda: run()


KERNELS = (
    Program("60 elementwise ops on 1M floats", elementwise, 0.8),
    Program("matmul 1024", matmul, 1.0),
    Program("8 chains of 3 products 512 x 512", eight_products, 1.0),
    Program("32 products 64 x 64 side by side", small_products),
    Program("conv 5x5 32->64, 14x14, batch 128", convolution(14, 32, 64, 5, 128)),
    Program("conv 3x3 64->64, 56x56, batch 8", convolution(56, 64, 64, 3, 8)),
    Program("conv 3x3 256->256, 14x14, batch 8", convolution(14, 256, 256, 3, 8)),
    Program("conv 5x5 1->32, 28x28, batch 128", convolution(28, 1, 32, 5, 128)),
    Program("k-means step, 20,000 points", k_means),
)
