"""Rows for normal numbers between bounds: with a seed up to 100 are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64
from tests.ops.program import Inputs, Program, Step, fails, infers, run, slopes

INF = np.inf
ROWS: tuple[tuple[Any, Any, Any, Any], ...] = (
    (0.0, 1.0, -2.0, 2.0),
    (0.0, 1.0, 3.0, 4.0),
    (2.0, 0.5, 2.0, 2.5),
    (0.0, 1.0, -INF, -8.0),
    (0.0, 1.0, 5.0, INF),
    (3.0, 2.0, -INF, 4.0),
    (1.0, 1.0, -9.0, -8.5),
    (0.0, 1.0, -1.2, 1.25),
)
"""Means, deviations and bounds: each way of drawing candidates, from either side."""
DRAWN = ("float32", "float64", "float16")
NAMES = ("means", "stddevs", "minvals", "maxvals")


def _of_rows(tf: Any, v: Inputs) -> Iterator[Step]:
    def drawn(shape: Any, *values: Any, **attrs: int) -> Any:
        names = ("means", "stdevs", *NAMES[2:])
        given = {name: v.fed(value) for name, value in zip(names, values, strict=True)}
        return tf.raw_ops.ParameterizedTruncatedNormal(shape=shape, **given, **attrs)

    made = [drawn([3, 20], *row, seed=3, seed2=seed) for row in ROWS for seed in (0, 5)]
    yield run(*made)
    yield run(*made)
    means, lows, highs = ([row[i] for row in ROWS] for i in (0, 2, 3))
    yield run(drawn([8, 3, 2], means, [1.0], lows, highs, seed=7))
    yield run(drawn([0, 3], 0.0, 1.0, -1.0, 1.0, seed=7))
    free = drawn([150], 0.0, 1.0, 0.5, 3.0)
    yield run(tf.reduce_all((free >= 0.5) & (free <= 3.0)), tf.shape(free))
    for row in ((0.0, -1.0, -1.0, 1.0), (0.0, 1.0, 1.0, 1.0), (0.0, 1.0, -INF, INF)):
        yield fails("InvalidArgumentError", "Invalid parameters", drawn([3], *row, seed=1))
    of_three = drawn([2], [0.0, 0.0, 0.0], 1.0, -1.0, 1.0)
    yield fails("InvalidArgumentError", "means should have length 1 or shape.0., got", of_three)
    one = v.fed(1.0)
    matrix = tf.raw_ops.ParameterizedTruncatedNormal(
        shape=[2], means=v.hidden([[0.0]]), stdevs=one, minvals=v.fed(0.0), maxvals=one
    )
    yield fails("InvalidArgumentError", "means should be a scalar or vector, got", matrix)
    none = drawn(v.fed([], np.int32), *ROWS[0])
    yield fails("InvalidArgumentError", "Shape tensor must not be empty", none)
    yield infers(drawn(v.fed([2, 3], np.int32), *ROWS[0]))


def _of_seed(tf: Any, v: Inputs) -> Iterator[Step]:
    def drawn(shape: Any, *values: Any) -> Any:
        given = dict(zip(NAMES, values, strict=True))
        raw = tf.raw_ops.StatelessParameterizedTruncatedNormal
        return raw(shape=shape, seed=[1, -2], **given)

    columns = [v.fed([row[i] for row in ROWS]) for i in range(4)]
    yield run(drawn([9, 8], *columns), drawn([8], *columns), drawn([0, 8], *columns))
    first = v.fed([0.0, 1.0]), v.fed(2.0), v.fed([[-1.0], [-4.0]]), v.fed([3.0, 8.0])
    made = drawn([3, 2, 2], *first)
    yield run(made)
    yield infers(made, drawn(v.fed([3, 2, 2], np.int32), *first))
    odd = drawn(v.hidden([3, 3], np.int32), *first)
    yield fails("InvalidArgumentError", "must end with broadcasted shape", odd)
    hidden = [v.hidden(value) for value in ([0.0, 0.0, 0.0], [1.0, 1.0], -1.0, 1.0)]
    yield fails(
        "InvalidArgumentError", "must have compatible batch dimensions", drawn([3], *hidden)
    )
    low = drawn([2], *(v.fed(value) for value in (0.0, 1.0, 2.0, 1.0)))
    yield fails("InvalidArgumentError", "Invalid parameters", low)


def _implicit(tf: Any, v: Inputs) -> Iterator[Step]:
    given = v.fed([0.0, 1.0]), v.fed(2.0), v.fed([[-1.0], [-4.0]]), v.fed([3.0, 8.0])
    made = tf.raw_ops.StatelessParameterizedTruncatedNormal(
        shape=[3, 2, 2], seed=[1, -2], **dict(zip(NAMES, given, strict=True))
    )
    yield slopes(tf, [made], given)


PROGRAMS = [
    Program("ParameterizedTruncatedNormal", _of_rows, DRAWN),
    Program("StatelessParameterizedTruncatedNormal", _of_seed, DRAWN),
    Program(
        "StatelessParameterizedTruncatedNormal",
        _implicit,
        FLOAT32_64,
        gradients=True,
        rtol=1e-4,
        numeric=False,
    ),
]
