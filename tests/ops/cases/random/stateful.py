"""Rows for random numbers: with a seed they are TensorFlow's, draw after draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, FLOATS, NUMBERS
from tests.ops.program import Build, Inputs, Program, Step, fails, infers, refused, run

EVERY = (*NUMBERS, "bool", "string")
SIZES = ([0], [1], [3], [2, 5], [], [100003], [3, 0])
SEEDS = ((7, 0), (0, 3), (12345678901, 5))


def _floats(op: str) -> Build:
    def draws(tf: Any, v: Inputs) -> Iterator[Step]:
        make = getattr(tf.raw_ops, op)
        drawn = [
            make(shape=v.constant(size, np.int32), dtype=v.element, seed=seed, seed2=seed2)
            for size in SIZES
            for seed, seed2 in SEEDS
        ]
        for _ in range(3):
            yield run(*drawn)
        # Each session starts anew.
        yield run(*drawn, session="another")

    return draws


def _checked(op: str, **bounds: int) -> Build:
    def checked(tf: Any, v: Inputs) -> Iterator[Step]:
        make = getattr(tf.raw_ops, op)
        attrs = {name: v.constant(bound) for name, bound in bounds.items()}
        attrs |= {} if bounds else {"dtype": v.element}
        size, sizes = v.fed(2, np.int32), v.fed([2, 3], np.int64)
        partly = tf.stack([size, tf.constant(3)])
        yield infers(*(make(shape=each, **attrs) for each in (sizes, partly, [4, 5])))
        yield run(tf.shape(make(shape=sizes, **attrs)), tf.shape(make(shape=partly, **attrs)))
        negative = make(shape=v.hidden([2, -1], np.int32), **attrs)
        yield fails(
            "InvalidArgumentError", "Dimension -1 must be >= 0|must be non-negative", negative
        )
        matrix = make(shape=v.hidden([[2]], np.int32), **attrs)
        yield fails("InvalidArgumentError", "must be a vector|must be rank 1", matrix)
        yield refused(
            "ValueError",
            "Shape must be rank 1 but is rank 2",
            lambda: make(shape=v.constant([[2]], np.int32), **attrs),
        )

    return checked


def _integers(tf: Any, v: Inputs) -> Iterator[Step]:
    make = tf.raw_ops.RandomUniformInt
    drawn = [
        make(shape=size, minval=v.constant(low), maxval=v.constant(high), seed=seed, seed2=seed2)
        for size in ([0], [3], [2, 5], [1000])
        for low, high in ((-5, 17), (0, 1), (0, 2**31 - 1))
        for seed, seed2 in SEEDS[:2]
    ]
    for _ in range(3):
        yield run(*drawn)
    yield run(*drawn, session="another")
    empty = make(shape=[2], minval=v.constant(5), maxval=v.constant(5))
    yield fails("InvalidArgumentError", "Need minval < maxval, got 5 >= 5", empty)


def _shuffled(tf: Any, v: Inputs) -> Iterator[Step]:
    shuffled = [
        tf.raw_ops.RandomShuffle(value=v.fed(v.any(*shape)), seed=11, seed2=seed2)
        for shape in ((9,), (7, 2, 3), (1, 4), (0, 2), ())
        for seed2 in (0, 4)
    ]
    for _ in range(3):
        yield run(*shuffled)
    yield run(*shuffled, session="another")


def _multinomial(tf: Any, v: Inputs) -> Iterator[Step]:
    # One row: TensorFlow's draws for several rows depend on its number of threads.
    logits = v.constant([[0.1, -1.0, 2.0, 0.3]])
    make = tf.raw_ops.Multinomial
    drawn = [
        make(logits=logits, num_samples=count, seed=5, seed2=9, output_dtype=out)
        for count in (0, 1, 5, 1000)
        for out in (tf.int32, tf.int64)
    ]
    for _ in range(3):
        yield run(*drawn)
    yield run(*drawn, session="another")


def _multinomial_checked(tf: Any, v: Inputs) -> Iterator[Step]:
    make = tf.raw_ops.Multinomial
    logits, count = v.fed(v.any(2, 3)), v.fed(4, np.int32)
    yield infers(make(logits=logits, num_samples=count), make(logits=logits, num_samples=5))
    yield run(tf.shape(make(logits=logits, num_samples=count)))
    for text, given, number in (
        ("num_classes should be positive", np.zeros([2, 0]), 3),
        ("num_samples should be non-negative", np.zeros([2, 2]), -3),
        ("logits should be a matrix", np.zeros([2]), 3),
    ):
        drawn = make(logits=v.hidden(given, v.dtype), num_samples=v.hidden(number, np.int32))
        yield fails("InvalidArgumentError", text, drawn)
    yield refused(
        "ValueError",
        "Shape must be rank 2 but is rank 1",
        lambda: make(logits=v.constant([1, 2]), num_samples=3),
    )


# Logarithm, sine and cosine of the C library are off by a unit in the last place here and there;
# the product of two such values by up to four.
FOUR_UNITS = {"float32": 2.0**-21, "float64": 2.0**-50}


PROGRAMS = [
    Program("RandomUniform", _floats("RandomUniform"), FLOATS, rtol=0.0, atol=0.0),
    Program("RandomUniform", _checked("RandomUniform"), FLOATS),
    *(
        program
        for op in ("RandomStandardNormal", "TruncatedNormal")
        for program in (
            Program(op, _floats(op), FLOAT32_64, rtol=FOUR_UNITS, atol=0.0),
            Program(op, _checked(op), FLOATS),
        )
    ),
    Program("RandomUniformInt", _integers, ("int32", "int64")),
    Program("RandomUniformInt", _checked("RandomUniformInt", minval=0, maxval=4), ("int32",)),
    Program("RandomShuffle", _shuffled, EVERY),
    Program("Multinomial", _multinomial, ("float32", "float64")),
    Program("Multinomial", _multinomial_checked, ("float32",)),
]
