"""Rows for random numbers of two seeds, and of a key and a counter: they are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOATS
from tests.ops.program import Build, Inputs, Program, Step, fails, infers, refused_alike, run

SIZES: tuple[Any, ...] = ([0], [1], [3], [2, 5], [], [10007], [3, 0])
SEEDS = ([1, 2], [-1, 2**40], [0, 0])
WORDS = ("int32", "int64", "uint32", "uint64")


def _key(tf: Any, seed: Any = (1, 2)) -> dict[str, Any]:
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=tf.constant(seed, tf.int64))
    return {"key": key, "counter": counter, "alg": tf.constant(1)}


def _floats(op: str) -> Build:
    def draws(tf: Any, v: Inputs) -> Iterator[Step]:
        make, newer = getattr(tf.raw_ops, op), getattr(tf.raw_ops, f"{op}V2")
        for seed in SEEDS:
            seeds, key = v.constant(seed, np.int64), _key(tf, seed)
            for size in SIZES:
                shape = v.constant(size, np.int32)
                yield run(
                    make(shape=shape, seed=seeds, dtype=v.element),
                    newer(shape=shape, dtype=v.element, **key),
                )

    return draws


def _bits(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, seeds, key = tf.raw_ops, tf.constant([1, 2]), _key(tf)
    for size in ([0], [5], [2, 3], []):
        shape = v.constant(size, np.int32)
        yield run(raw.StatelessRandomUniformFullInt(shape=shape, seed=seeds, dtype=v.element))
        yield run(raw.StatelessRandomUniformFullIntV2(shape=shape, dtype=v.element, **key))
        if v.name in ("int32", "int64"):
            low, high = v.constant(-7), v.constant(1000)
            yield run(
                raw.StatelessRandomUniformInt(shape=shape, seed=seeds, minval=low, maxval=high),
                raw.StatelessRandomUniformIntV2(shape=shape, minval=low, maxval=high, **key),
            )


def _keys(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    for seed in SEEDS:
        seeds = v.fed(seed, np.int64)
        yield run(*raw.StatelessRandomGetKeyCounter(seed=seeds))
        yield run(*raw.StatelessRandomGetKeyCounterAlg(seed=seeds))
    yield run(raw.StatelessRandomGetAlg())
    for value in ([1, 2, 3, 4, 5, 6, 7], [[1, 2], [3, 4], [5, 6]], 3, [], [1]):
        yield run(raw.StatelessShuffle(value=v.fed(value, np.float32), **_key(tf)))
    for logits in ([[0.0, 1, 2]], [[0.5, -3], [2, 1]]):
        for count in (0, 1, 5, 1000):
            drawn = v.constant(np.array(logits, np.float32))
            yield run(raw.StatelessMultinomial(logits=drawn, num_samples=count, seed=[3, 4]))


def _refused(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, key = tf.raw_ops, _key(tf)
    make, newer = raw.StatelessRandomUniform, raw.StatelessRandomUniformV2
    shape = v.constant([3], np.int32)
    yield infers(make(shape=v.fed([2, 3], np.int32), seed=v.fed([1, 2], np.int32)))
    for text, call in (
        ("seed must have shape .2., not .3.", make(shape=shape, seed=v.hidden([1, 2, 3], "int32"))),
        (
            "seed must have shape .2., not .1,2.",
            make(shape=shape, seed=v.hidden([[1, 2]], "int32")),
        ),
        ("must be >= 0", make(shape=v.hidden([-1], "int32"), seed=[1, 2])),
        ("shape must be a vector", make(shape=v.hidden([[1]], "int32"), seed=[1, 2])),
        ("Unsupported algorithm id: 2", newer(shape=shape, **key | {"alg": 2})),
        (
            "input 3 .0-based. must have shape",
            newer(shape=shape, **key | {"alg": v.hidden([1], "int32")}),
        ),
        (
            "key must have shape .1., not .2.",
            newer(shape=shape, **key | {"key": v.hidden([1, 2], "uint64")}),
        ),
        (
            "counter must be a vector with length at least",
            newer(shape=shape, **key | {"counter": v.hidden(1, "uint64")}),
        ),
        (
            "Need minval < maxval, got 5 >= 5",
            raw.StatelessRandomUniformInt(shape=shape, seed=[1, 2], minval=5, maxval=5),
        ),
        (
            "minval must be 0-D, got shape .1.",
            raw.StatelessRandomUniformInt(
                shape=shape, seed=[1, 2], minval=v.hidden([1], "int32"), maxval=5
            ),
        ),
    ):
        yield fails("InvalidArgumentError", text, call)
    yield refused_alike(lambda: make(shape=shape, seed=v.constant([1, 2, 3], "int32")))
    yield refused_alike(lambda: newer(shape=shape, **key | {"alg": v.constant([1], "int32")}))
    yield refused_alike(
        lambda: raw.StatelessRandomUniformInt(shape=shape, seed=[1, 2], minval=[5], maxval=5)
    )


def _functions(tf: Any, v: Inputs) -> Iterator[Step]:
    make, seed = tf.random, [5, 6]
    yield run(make.stateless_uniform([4], seed), make.stateless_uniform([4], seed, 2.0, 7.0))
    yield run(make.stateless_uniform([4], seed, 2, 7, tf.int32))
    yield run(make.stateless_uniform([4], seed, None, None, tf.uint64))
    yield run(make.stateless_normal([4], seed, 2.0, 3.0, tf.float64, alg="philox"))
    yield run(make.stateless_truncated_normal([4], seed, alg=make.Algorithm.PHILOX))
    yield run(make.stateless_categorical([[1.0, 2]], 7, seed), make.fold_in(seed, 9))
    yield run(make.stateless_multinomial([[1.0, 2]], 7, seed, tf.int32), make.split(seed, 3))
    yield run(make.stateless_gamma([3, 2], seed, [1.0, 0.5], [2.0, 3]))
    yield run(make.stateless_poisson([3, 2], seed, [1.0, 30]))
    for wrong in (
        {"dtype": tf.int32},
        {"maxval": 4, "dtype": tf.uint32},
        {"dtype": tf.complex64},
        {"alg": "foo"},
        {"alg": 7},
    ):
        yield refused_alike(lambda w=wrong: make.stateless_uniform([3], seed, **w))


PROGRAMS = [
    *(
        Program(f"{op} {op}V2", _floats(op), FLOATS, label=op)
        for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
    ),
    Program("StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2", _bits, WORDS),
    Program("StatelessRandomUniformInt StatelessRandomUniformIntV2", _bits, ("int32", "int64")),
    Program(
        "StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomGetAlg"
        " StatelessShuffle StatelessMultinomial",
        _keys,
        ("float32",),
    ),
    Program("StatelessRandomUniform", _refused, ("float32",)),
    Program("StatelessRandomUniformV2", _functions, ("float32",)),
]
