"""Rows for generators whose state is a variable: their numbers are TensorFlow's, and so is where
they are afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOATS
from tests.ops.early import make_old
from tests.ops.program import Build, Inputs, Program, Step, fails, infers, refused_alike, run

SIZES: tuple[Any, ...] = ([3], [2, 5], [], [1031], [0])
STATES = ([5, 6, 7], [-1, -1, -3], [2**63 - 1, 4, -(2**63)])
WORDS = ("int32", "int64", "uint32", "uint64")
ONE = np.int64(1)


def _draws(op: str) -> Build:
    def draws(tf: Any, v: Inputs) -> Iterator[Step]:
        cells = [v.variable(state, resource=True, dtype=np.int64) for state in STATES]
        yield v.initializers()
        for cell in cells:
            for size in SIZES:
                made = getattr(tf.raw_ops, op)(
                    resource=cell.handle,
                    algorithm=v.constant(1, np.int64),
                    shape=v.constant(size, np.int32),
                    dtype=v.element,
                )
                yield infers(made)
                yield run(made)
                yield run(cell)

    return draws


def _draws_of_old(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf, 28)
    cells = [v.variable([1, *state], resource=True, dtype=np.int64) for state in STATES]
    wrong = [
        v.variable(state, resource=True, dtype=np.int64)
        for state in ([2, 5, 6, 7], [9, 5, 6, 7], [1, 5, 6], [])
    ]
    yield v.initializers()

    def made(cell: Any, size: Any) -> Any:
        return raw.StatefulStandardNormal(
            resource=cell.handle, shape=v.constant(size, np.int32), dtype=v.element
        )

    for cell in cells:
        for size in SIZES:
            yield infers(made(cell, size))
            yield run(made(cell, size))
            yield run(cell)
    for cell, error, text in zip(
        wrong,
        ("UnimplementedError", *("InvalidArgumentError",) * 3),
        ("ThreeFry", "algorithm id: 9", "must be at least 4; got 3", "must be at least 1"),
        strict=True,
    ):
        yield fails(error, text, made(cell, [3]))
    yield refused_alike(lambda: made(cells[0], [[3]]))


def _between(tf: Any, v: Inputs) -> Iterator[Step]:
    cell = v.variable(STATES[0], resource=True, dtype=np.int64)
    yield v.initializers()
    for low, high in ((1, 9), (0, 2**31 - 1), (3, 4)):
        for size in SIZES:
            yield run(
                tf.raw_ops.StatefulUniformInt(
                    resource=cell.handle,
                    algorithm=v.constant(3, np.int64),
                    shape=v.constant(size, np.int64),
                    minval=v.constant(low),
                    maxval=v.constant(high),
                )
            )
            yield run(cell)


def _moved(tf: Any, v: Inputs) -> Iterator[Step]:
    cells = [v.variable(state, resource=True, dtype=np.int64) for state in STATES]
    yield v.initializers()
    for cell in cells:
        for count in (0, 1, 12345, 2**40):
            delta = v.constant(count, np.uint64)
            yield run(tf.raw_ops.RngReadAndSkip(resource=cell.handle, alg=1, delta=delta))
            yield run(cell)
            delta = v.constant(count, np.int64)
            yield run(tf.raw_ops.RngSkip(resource=cell.handle, algorithm=ONE, delta=delta))
            yield run(cell)


def _misfits(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    state = v.variable(STATES[0], resource=True, dtype=np.int64)
    short = v.variable([1, 2], resource=True, dtype=np.int64)
    yield v.initializers()

    def uniform(cell: Any, **other: Any) -> Any:
        options = {"algorithm": ONE, "shape": [3], **other}
        return raw.StatefulUniform(resource=cell.handle, **options)

    yield fails("UnimplementedError", "ThreeFry", uniform(state, algorithm=np.int64(2)))
    yield fails(
        "InvalidArgumentError", "Unsupported algorithm id: 7", uniform(state, algorithm=np.int64(7))
    )
    yield fails("InvalidArgumentError", "must be at least 3; got 2", uniform(short))
    delta = tf.constant(1, tf.uint64)
    skipped = raw.RngReadAndSkip(resource=short.handle, alg=1, delta=delta)
    yield fails("InvalidArgumentError", "must be at least 3; got 2", skipped)
    skipped = raw.RngSkip(resource=state.handle, algorithm=np.int64(2), delta=ONE)
    yield fails("UnimplementedError", "ThreeFry", skipped)
    yield run(state)
    made = raw.StatefulUniformInt(
        resource=state.handle, algorithm=ONE, shape=[2], minval=5, maxval=3
    )
    yield fails("InvalidArgumentError", "Need minval < maxval, got 5 >= 3", made)
    yield infers(raw.RngReadAndSkip(resource=state.handle, alg=1, delta=delta))
    yield refused_alike(lambda: uniform(state, shape=[[3]]))
    yield refused_alike(lambda: uniform(state, algorithm=np.array([1])))
    yield refused_alike(lambda: raw.RngReadAndSkip(resource=state.handle, alg=[1], delta=delta))
    yield refused_alike(
        lambda: raw.RngSkip(resource=state.handle, algorithm=ONE, delta=np.array([1]))
    )


PROGRAMS = [
    Program("StatefulUniform", _draws("StatefulUniform"), FLOATS),
    Program("StatefulStandardNormalV2", _draws("StatefulStandardNormalV2"), FLOATS, rtol=1e-5),
    Program("StatefulStandardNormal", _draws_of_old, FLOATS, rtol=1e-5),
    Program("StatefulTruncatedNormal", _draws("StatefulTruncatedNormal"), FLOATS, rtol=1e-5),
    Program("StatefulUniformFullInt", _draws("StatefulUniformFullInt"), WORDS),
    Program("StatefulUniformInt", _between, ("int32", "int64")),
    Program("RngSkip RngReadAndSkip", _moved, ("int64",)),
    Program("StatefulUniform StatefulUniformInt RngSkip RngReadAndSkip", _misfits, ("float32",)),
]
