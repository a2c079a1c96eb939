"""Rows for the QR decomposition. Its signs are free, but LAPACK's, as TensorFlow's are Eigen's:
what the factors make is compared, and that they are what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import COMPLEX, FLOAT32_64
from tests.ops.program import Build, Inputs, Program, Step, refused, run, slopes

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


def _slopes(shape: tuple[int, ...], full: bool) -> Build:
    def slopes_of_factors(tf: Any, v: Inputs) -> Iterator[Step]:
        matrix = v.known(v.any(*shape))
        q, r = tf.qr(matrix, full_matrices=full)
        yield slopes(tf, [tf.abs(q), tf.abs(r)], [matrix])

    return slopes_of_factors


def _no_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    q, _ = tf.qr(v.known(v.any(4, 2)), full_matrices=True)
    unknown = tf.placeholder(v.element, [None, 3])
    yield refused(
        "NotImplementedError",
        "QrGrad not implemented when nrows > ncols and full_matrices is true",
        lambda: tf.gradients(q, q.op.inputs[0]),
    )
    yield refused(
        "NotImplementedError",
        "QrGrad not implemented with dynamic shapes",
        lambda: tf.gradients(tf.qr(unknown)[0], unknown),
    )


PROGRAMS = [
    *(
        Program(
            "Qr",
            _slopes(shape, full),
            (*FLOAT32_64, *COMPLEX),
            label=f"{shape}{full}",
            gradients=True,
            rtol=1e-3,
            atol=1e-3,
        )
        for shape, full in (((3, 3), True), ((4, 2), False), ((2, 4), False), ((2, 2, 3), True))
    ),
    Program("Qr", _no_slopes),
    Program("Qr", _factors(False), (*FLOAT32_64, *COMPLEX), label="thin"),
    Program("Qr", _factors(True), (*FLOAT32_64, *COMPLEX), label="full"),
]
