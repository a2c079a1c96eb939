"""Rows for the QR decomposition. Its signs are free, but LAPACK's, as TensorFlow's are Eigen's:
what the factors make is compared, and that they are what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import COMPLEX, FLOAT32_64
from tests.ops.program import Build, Inputs, Program, Step, refused, run

SHAPES = ((4, 3), (3, 4), (2, 3, 3), (0, 3), (3, 0))


def _factors(full: bool) -> Build:
    def factors(tf: Any, v: Inputs) -> Iterator[Step]:
        for shape in SHAPES:
            q, r = tf.raw_ops.Qr(input=v.fed(v.any(*shape)), full_matrices=full)
            below = r - tf.matrix_band_part(r, 0, -1)
            yield run(tf.matmul(q, r), tf.matmul(q, q, adjoint_a=True), below)
            yield run(tf.shape(q), tf.shape(r), tf.abs(r))
        yield refused(
            "ValueError",
            "Shape must be at least rank 2 but is rank 1",
            lambda: tf.raw_ops.Qr(input=v.constant(v.any(2))),
        )

    return factors


PROGRAMS = [
    Program("Qr", _factors(False), (*FLOAT32_64, *COMPLEX), label="thin"),
    Program("Qr", _factors(True), (*FLOAT32_64, *COMPLEX), label="full"),
]
