"""Programs whose cost is the step itself: feeds and fetches, and many small operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Build, Program, Step


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


def nested_fetches(tf: Any, session: Any) -> Step:
    """`run`: four arrays fed, a nest of a dict, lists and an operation fetched."""
    inputs = [tf.placeholder(tf.float32, [8]) for _ in range(4)]
    outputs = [x + 1.0 for x in inputs]
    fetches = {"all": outputs, "pair": (outputs[0], [outputs[1]]), "op": tf.group(*outputs)}
    feeds = {x: np.ones(8, np.float32) for x in inputs}
    return lambda: session.run(fetches, feeds)


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


def mixed_small(tf: Any, session: Any) -> Step:
    """1000 small ops of a dozen types, most of them on [4, 8]."""
    x = tf.placeholder(tf.float32, [4, 8])
    y = x
    for index in range(100):
        parts = tf.split(tf.tanh(y), 2, axis=1)
        joined = tf.concat([parts[1], parts[0]], axis=1)
        mean = tf.reduce_mean(joined, axis=1, keepdims=True)
        centred = tf.where(joined > mean, joined - mean, tf.square(joined))
        y = tf.transpose(tf.reshape(centred, [8, 4])) + float(index)
    value = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)
    run = session.make_callable(y, feed_list=[x])
    return lambda: run(value)


STEPS = (
    Program("run: feed a scalar, add, fetch", feed_scalar, 0.10),
    Program("the same through make_callable", feed_scalar_callable, 0.04),
    Program("run: 4 feeds, nested fetches", nested_fetches),
    Program("chain of 1000 ops on 32 floats", chain(1000, 32), 0.7),
    Program("chain of 5000 ops on 32 floats", chain(5000, 32), 1.0),
    Program("chain of 5000 ops on scalars", chain(5000, 0), 1.0),
    Program("500 chains of 10 ops and add_n", wide_chains, 1.0),
    Program("1000 small ops of a dozen types", mixed_small),
)
