"""Rows for ops of nets that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import FLOAT32_64
from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, refused_alike, run, slopes


def _norms(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf, 8)
    for scaled in (True, False):
        x, mean, beta = v.known(v.any(2, 3, 2, 4)), v.known(v.any(4)), v.known(v.any(4))
        variance, gamma = (v.known(v.between(0.5, 2, 4)) for _ in range(2))
        more = {"variance_epsilon": 0.01, "scale_after_normalization": scaled}
        y = raw.BatchNormWithGlobalNormalization(
            t=x, m=mean, v=variance, beta=beta, gamma=gamma, **more
        )
        dy = v.fed(v.any(2, 3, 2, 4))
        descended = raw.BatchNormWithGlobalNormalizationGrad(
            t=x, m=mean, v=variance, gamma=gamma, backprop=dy, **more
        )
        yield run(y, *descended)
    x, vector = tf.constant(v.any(1, 1, 1, 2)), tf.constant(v.any(2))
    for wrong in ({"t": vector}, {"v": x}, {"beta": tf.constant(v.any(3))}):
        given = {"t": x, "m": vector, "v": vector, "beta": vector, "gamma": vector, **wrong}
        yield refused_alike(
            lambda given=given: raw.BatchNormWithGlobalNormalization(**given, **more)
        )


def _norm_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf, 8)
    x, mean, beta = v.known(v.any(2, 3, 2, 4)), v.known(v.any(4)), v.known(v.any(4))
    variance, gamma = (v.known(v.between(0.5, 2, 4)) for _ in range(2))
    for scaled in (True, False):
        y = raw.BatchNormWithGlobalNormalization(
            t=x,
            m=mean,
            v=variance,
            beta=beta,
            gamma=gamma,
            variance_epsilon=0.01,
            scale_after_normalization=scaled,
        )
        yield slopes(tf, [y], [x, mean, variance, beta, gamma])


def _convolutions(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf, 9)
    for strides, padding, size in (((1, 2, 1), "SAME", (3, 2, 2)), ((1, 1, 1), "VALID", (2, 2, 1))):
        x, filters = v.fed(v.any(2, 3, 4, 2, 3)), v.fed(v.any(2, 3, 2, 3, 2))
        dy = v.fed(v.any(2, *size, 2))
        given = {"input": x, "filter": filters, "out_backprop": dy}
        more = {"strides": [1, *strides, 1], "padding": padding}
        yield run(
            raw.Conv3DBackpropInput(**given, **more), raw.Conv3DBackpropFilter(**given, **more)
        )
    flat = tf.constant(v.any(2, 3))
    yield refused_alike(
        lambda: raw.Conv3DBackpropInput(input=flat, filter=flat, out_backprop=flat, **more)
    )


PROGRAMS = [
    Program(
        "BatchNormWithGlobalNormalization BatchNormWithGlobalNormalizationGrad",
        _norms,
        FLOAT32_64,
        rtol=1e-4,
        atol=1e-4,
    ),
    Program(
        "BatchNormWithGlobalNormalization",
        _norm_slopes,
        FLOAT32_64,
        gradients=True,
        rtol=1e-4,
        atol=1e-4,
    ),
    Program(
        "Conv3DBackpropInput Conv3DBackpropFilter",
        _convolutions,
        ("float32", "float64"),
        rtol=1e-4,
        atol=1e-4,
    ),
]
