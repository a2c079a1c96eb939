"""Rows for numbers of gamma and Poisson distributions: with a seed they are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Case
from tests.ops.program import Inputs, Program, Step, fails, infers, run, slopes

HALVES = ("float32", "float64", "float16")
ALPHAS: tuple[Any, ...] = ([0.01, 0.5, 1.0, 1.5, 30.0, 1e4], [[2.0], [0.3]], 0.7, [])
# TensorFlow never ends where a type cannot hold the numbers.
RATES: tuple[Any, ...] = ([0.0, 0.2, 3.0, 9.99, 10.0, 35.5, 3e4], [[2.0], [50.0]], 0.7, 12.0, [])
SIZES: tuple[Any, ...] = ([0], [1], [7], [2, 300], [])


def _gamma(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    for alpha in ALPHAS:
        alphas = v.fed(alpha)
        drawn = [
            raw.RandomGamma(shape=v.constant(size, np.int32), alpha=alphas, seed=3, seed2=seed)
            for size in SIZES
            for seed in (0, 5)
        ]
        yield run(*drawn)
        yield run(*drawn)
    alphas = v.constant([0.5, 2.0])
    key, counter = raw.StatelessRandomGetKeyCounter(seed=[1, 2])
    keys = {"key": key, "counter": counter, "alg": 1}
    for size in ([2], [5, 2], [0, 2], [3, 4, 2]):
        shape = v.constant(size, np.int32)
        yield run(raw.StatelessRandomGammaV2(shape=shape, seed=[1, 2], alpha=alphas))
        yield run(raw.StatelessRandomGammaV3(shape=shape, alpha=alphas, **keys))
    odd = raw.StatelessRandomGammaV2(shape=v.hidden([2, 3], np.int32), seed=[1, 2], alpha=alphas)
    yield fails("InvalidArgumentError", "must end with broadcasted shape", odd)
    matrix = raw.RandomGamma(shape=v.hidden([[2]], np.int32), alpha=alphas)
    yield fails("InvalidArgumentError", "shape must be a vector of", matrix)
    negative = raw.RandomGamma(shape=v.hidden([-2], np.int32), alpha=alphas)
    yield fails("InvalidArgumentError", "must be >= 0", negative)
    yield infers(raw.RandomGamma(shape=v.fed([2, 3], np.int32), alpha=alphas))
    free = raw.RandomGamma(shape=[3, 2], alpha=alphas)
    yield run(tf.shape(free), tf.reduce_all(free > 0))


def _poisson(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops
    for rate in RATES:
        rates = v.fed(np.array(rate, np.float64))
        for size in SIZES:
            shape = v.constant(size, np.int32)
            yield run(raw.RandomPoissonV2(shape=shape, rate=rates, seed=3, dtype=v.element))
    rates = v.constant([0.5, 20.0], np.float32)
    for size in ([2], [5, 2], [0, 2]):
        shape = v.constant(size, np.int32)
        made = raw.StatelessRandomPoisson(shape=shape, seed=[1, 2], lam=rates, dtype=v.element)
        yield run(made)
    free = raw.RandomPoissonV2(shape=[3, 2], rate=rates, dtype=v.element)
    yield run(tf.shape(free), tf.reduce_all(free >= 0))


def _early(tf: Any, v: Inputs) -> Iterator[Step]:
    old = tf.GraphDef()
    old.versions.producer = 10
    tf.import_graph_def(old, name="")
    yield run(tf.raw_ops.RandomPoisson(shape=[5], rate=v.fed([0.5, 20.0]), seed=3))


def _implicit(tf: Any, v: Inputs) -> Iterator[Step]:
    alpha, beta = v.known([0.4, 1.0, 5.0]), v.known([[1.0, 2.0, 3.0]])
    drawn = tf.random_gamma([4], alpha, beta, dtype=v.element, seed=7)
    yield slopes(tf, [drawn], [alpha, beta])
    drawn = tf.random.stateless_gamma([2, 4, 3], [1, 2], alpha, dtype=v.element)
    yield slopes(tf, [drawn], [alpha])
    older = tf.raw_ops.StatelessRandomGammaV2(shape=[4, 3], seed=[1, 2], alpha=alpha)
    yield slopes(tf, [older], [alpha])
    yield run(tf.random_poisson([1.0, 30.0], [6], dtype=tf.int32, seed=4))


ALPHA = [0.1, 0.5, 1.0, 1.0, 3.0, 10.0, 50.0]
SAMPLE = [0.01, 0.3, 0.1, 2.0, 2.5, 12.0, 45.0]

CASES = [
    Case(
        "RandomGammaGrad",
        lambda v: [np.array(ALPHA, v.dtype), np.array(SAMPLE, v.dtype)],
        FLOAT32_64,
        rtol=1e-4,
        atol=1e-6,
    ),
]

PROGRAMS = [
    Program(
        "RandomGamma StatelessRandomGammaV2 StatelessRandomGammaV3",
        _gamma,
        HALVES,
        rtol={"float32": 1e-5, "float16": 1e-3},
    ),
    Program(
        "RandomPoissonV2 StatelessRandomPoisson",
        _poisson,
        ("float32", "float64", "float16", "int32", "int64"),
    ),
    Program("RandomPoisson", _early, FLOAT32_64),
    # The tolerance is that of TensorFlow's series.
    Program(
        "RandomGamma StatelessRandomGammaV2 StatelessRandomGammaV3",
        _implicit,
        FLOAT32_64,
        gradients=True,
        rtol=1e-3,
        atol=1e-4,
        numeric=False,
    ),
]
