"""Programs on two workers: what a step costs that crosses processes, and what its bytes cost."""

from __future__ import annotations

import itertools
from typing import Any

from programs.program import Build, Program, Step, floats

FIRST, SECOND = "/job:worker/task:0", "/job:worker/task:1"
MEGABYTE = 250_000
"""Floats that are a megabyte."""


def null_step(*tasks: str) -> Build:
    """A number is fed, counted up on each of the tasks, and fetched."""

    def build(tf: Any, session: Any) -> Step:
        with tf.device(tasks[0]):
            x = y = tf.placeholder(tf.float32, [])
        for task in tasks:
            with tf.device(task):
                y = y + 1.0
        return lambda: session.run(y, {x: 1.0})

    return build


def fed_through(size: int) -> Build:
    """`size` floats are fed to the first worker, sent to the second one and fetched from there."""

    def build(tf: Any, session: Any) -> Step:
        with tf.device(FIRST):
            x = tf.placeholder(tf.float32, [size])
            y = x + 1.0
        with tf.device(SECOND):
            z = y * 2.0
        value = floats(0, size)
        return lambda: session.run(z, {x: value})

    return build


def edge(size: int) -> Build:
    """`size` floats go from the first worker to the second.

    One of them changes in every step, so that no step can do with what another one has sent.
    """

    def build(tf: Any, session: Any) -> Step:
        with tf.device(FIRST):
            number = tf.placeholder(tf.float32, [])
            values = tf.Variable(tf.zeros([size]))
            changed = tf.scatter_update(values, [0], tf.reshape(number, [1]))
            with tf.control_dependencies([changed]):
                sent = tf.identity(values)
        with tf.device(SECOND):
            ends = tf.stack([sent[0], sent[size - 1]])
        session.run(values.initializer)
        numbers = itertools.count(1)

        def step() -> Any:
            wanted = float(next(numbers) % 1000)
            got = session.run(ends, {number: wanted})
            if got[0] != wanted or got[1] != 0.0:
                raise ValueError(f"{wanted} was sent, {got} arrived.")
            return got

        return step

    return build


def parameter_server(rows: int, columns: int, batch: int) -> Build:
    """A training step: weights on the first worker, all else on the second.

    The weights go to the second worker, their gradients back.
    """

    def build(tf: Any, session: Any) -> Step:
        with tf.device(FIRST):
            weights = tf.Variable(floats(0, rows, columns, scale=rows**-0.5))
        with tf.device(SECOND):
            x = tf.placeholder(tf.float32, [batch, rows])
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
            train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(weights.initializer)
        value = floats(1, batch, rows)
        return lambda: session.run([train, loss], {x: value})[1]

    return build


ONE_MACHINE = (
    Program("null step, one worker", null_step(FIRST), 0.15),
    Program("null step, other worker", null_step(SECOND)),
    Program("null step across two workers", null_step(FIRST, SECOND), 0.10),
    Program("null step there and back", null_step(FIRST, SECOND, FIRST)),
    Program("400 KB fed, across, fetched", fed_through(100_000), 0.35),
    Program("1 MB edge", edge(MEGABYTE), 0.15),
    Program("100 MB edge", edge(100 * MEGABYTE), 0.15),
    Program("parameter server, 4 MB", parameter_server(1000, 1000, 8), 0.3),
)
"""What runs on two workers of one machine."""

TWO_MACHINES = (
    Program("null step, two machines", null_step(FIRST, SECOND)),
    Program("1 MB edge, two machines", edge(MEGABYTE)),
    Program("100 MB edge, two machines", edge(100 * MEGABYTE), 0.6),
    Program("parameter server, two machines", parameter_server(1000, 1000, 8)),
)
"""What runs on two simulated machines; TensorFlow's processes are those of one machine."""
