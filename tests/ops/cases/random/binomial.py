"""Rows for numbers of binomial distributions: with a seed they are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, infers, run

COUNTS = [0, 1, 5, 10, 40, 1000, 100, 30]
PROBS = [0.3, 0.5, 0.9, 0.1, 0.4, 0.02, 0.98, 0.0]
REFUSED = "InvalidArgumentError"


def _of_seeds(tf: Any, v: Inputs) -> Iterator[Step]:
    def drawn(shape: Any, counts: Any, probs: Any, dtype: Any = tf.int64) -> Any:
        return tf.raw_ops.StatelessRandomBinomial(
            shape=shape, seed=[1, 2], counts=counts, probs=probs, dtype=dtype
        )

    counts, probs = v.fed(COUNTS), v.fed(PROBS)
    shapes = [v.constant(shape, np.int32) for shape in ([30, 8], [2, 3, 8], [0, 8])]
    yield run(*(drawn(shape, counts, probs) for shape in shapes))
    few = v.constant([[4], [50]]), v.constant([0.25, 1.0, 2.0])
    yield run(drawn([5, 2, 3], *few, tf.float32), drawn([2, 3], *few, tf.int32))
    yield run(drawn([7], v.constant(3), v.constant(0.5), tf.float64))
    shape = v.hidden([8, 2], np.int32)
    yield fails(REFUSED, "must end with broadcasted shape", drawn(shape, counts, probs))
    yield fails(REFUSED, "compatible", drawn(shape, counts, v.hidden([0.5, 0.5])))
    yield infers(drawn(v.constant([3, 8], np.int32), counts, probs))


def _of_a_generator(tf: Any, v: Inputs) -> Iterator[Step]:
    """TensorFlow's generator forgets its first draw, so that the second is the same."""
    state = v.variable([3, 0, 0], True)
    drawn = tf.raw_ops.StatefulRandomBinomial(
        resource=state.handle,
        algorithm=np.int64(1),
        shape=[5, 2],
        counts=[20.0, 100.0],
        probs=[0.2, 0.5],
        dtype=tf.int32,
    )
    yield run(state.initializer)
    yield run(drawn)


def _of_nothing(tf: Any, v: Inputs) -> Iterator[Step]:
    for dtype in (tf.int64, tf.uint32, tf.int32):
        made = tf.raw_ops.NonDeterministicInts(shape=[3, 2], dtype=dtype)
        yield infers(made)
        yield run(tf.shape(made))


PROGRAMS = [
    Program("StatelessRandomBinomial", _of_seeds),
    Program("StatefulRandomBinomial", _of_a_generator, ("int64",)),
    Program("NonDeterministicInts", _of_nothing, ("float32",)),
]
