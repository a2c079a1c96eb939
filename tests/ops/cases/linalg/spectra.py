"""Rows for eigenvalues and singular values. The vectors are free in sign and phase: what the
factors make is compared, and slopes of what does not depend on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case
from tests.ops.cases.linalg.matrices import LAPACK, SQUARES, regular, symmetric
from tests.ops.cases.linalg.square import NOT_SQUARE
from tests.ops.program import Build, Inputs, Program, Step, fails, refused, run, slopes

NAN = [[np.nan, 1], [1, 2]]
RECTANGLES = ((3, 2), (2, 3), (2, 3, 3), (2, 0), (0, 3), (0, 2, 2))


def _self_adjoint(tf: Any, v: Inputs) -> Iterator[Step]:
    for shape in SQUARES:
        matrix = v.fed(symmetric(v, *shape))
        values, vectors = tf.self_adjoint_eig(matrix)
        back = tf.matmul(vectors * values[..., None, :], vectors, adjoint_b=True)
        yield run(values, back, tf.matmul(vectors, vectors, adjoint_a=True))
        yield run(tf.self_adjoint_eigvals(matrix))


def _self_adjoint_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    half = v.known(v.any(2, 3, 3))
    matrix = half + tf.linalg.adjoint(half)
    values, vectors = tf.self_adjoint_eig(matrix)
    yield slopes(tf, [tf.abs(values), tf.abs(vectors)], [half])
    yield slopes(tf, [tf.abs(tf.self_adjoint_eigvals(matrix))], [half])


def _any(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.complex64 if v.name in ("float32", "complex64") else tf.complex128
    for shape in SQUARES:
        matrix = v.fed(regular(v, *shape))
        values, vectors = tf.raw_ops.Eig(input=matrix, Tout=made)
        only, _ = tf.raw_ops.Eig(input=matrix, Tout=made, compute_v=False)
        back = tf.matmul(vectors * values[..., None, :], tf.matrix_inverse(vectors))
        yield run(back, tf.reduce_sum(tf.abs(vectors) ** 2, -2))
        yield run(*(tf.reduce_sum(each**power, -1) for each in (values, only) for power in (1, 2)))
    other = tf.complex128 if made is tf.complex64 else tf.complex64
    yield fails(
        "InvalidArgumentError", "Invalid output dtype", tf.raw_ops.Eig(input=matrix, Tout=other)[0]
    )
    text = "Eigen decomposition was not successful. The input might not be valid"
    failing = tf.raw_ops.Eig(input=v.hidden(NAN), Tout=made)[0]
    yield fails("InvalidArgumentError", text, failing)


def _any_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.complex64 if v.name in ("float32", "complex64") else tf.complex128
    matrix = v.known(regular(v, 3, 3) * np.array([1, 2, 3], v.dtype))
    values, vectors = tf.raw_ops.Eig(input=matrix, Tout=made)
    only, _ = tf.raw_ops.Eig(input=matrix, Tout=made, compute_v=False)
    for each in (values, only):
        yield slopes(tf, [tf.real(each), tf.imag(each)], [matrix])
    yield slopes(tf, [tf.abs(vectors)], [matrix])


def _singular(full: bool) -> Build:
    def singular(tf: Any, v: Inputs) -> Iterator[Step]:
        for shape in RECTANGLES:
            matrix = v.fed(v.any(*shape))
            s, u, w = tf.svd(matrix, full_matrices=full)
            size = min(shape[-2:])
            scaled = u[..., :size] * tf.cast(s, matrix.dtype)[..., None, :]
            yield run(s, tf.matmul(scaled, w[..., :size], adjoint_b=True))
            yield run(tf.matmul(u, u, adjoint_a=True), tf.matmul(w, w, adjoint_a=True))
            yield run(tf.shape(u), tf.shape(w), tf.svd(matrix, compute_uv=False))
        yield run(*tf.svd(v.hidden(NAN), full_matrices=full))

    return singular


def _singular_slopes(shape: tuple[int, ...], full: bool) -> Build:
    def singular_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
        matrix = v.known(v.any(*shape))
        s, u, w = tf.svd(matrix, full_matrices=full)
        yield slopes(tf, [s, tf.svd(matrix, compute_uv=False)], [matrix])
        yield slopes(tf, [tf.abs(u), tf.abs(w)], [matrix])
        size = min(shape[-2:])
        # Only the phases of both together are free here.
        turned = tf.matmul(u[..., :size], w[..., :size], adjoint_b=True)
        yield slopes(tf, [tf.abs(turned)], [matrix])

    return singular_slopes


def _no_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    _, u, _ = tf.svd(v.known(v.any(2, 4)), full_matrices=True)
    wide = v.tf.placeholder(v.element, [None, 3])
    yield refused(
        "NotImplementedError",
        "svd gradient is not implemented for abs.* Received: m=",
        lambda: tf.gradients(u, u.op.inputs[0]),
    )
    yield refused(
        "NotImplementedError",
        "SVD gradient has not been implemented for input with unknown inner matrix shape",
        lambda: tf.gradients(tf.svd(wide)[1], wide),
    )


CASES = [
    Case(
        "SelfAdjointEigV2",
        lambda v: [symmetric(v, 2, 3, 3)],
        attrs={"compute_v": False},
        outputs=(0,),
        label="values",
        bad=(
            *NOT_SQUARE,
            Bad(
                lambda v: [np.array(NAN, v.dtype)],
                "Self-adjoint eigen decomposition was not successful",
                when="run",
            ),
        ),
    ),
    Case(
        "Svd",
        lambda v: [v.any(2, 3, 2)],
        attrs={"compute_uv": False},
        outputs=(0,),
        label="values",
        bad=NOT_SQUARE[:2],
    ),
]
_SLOPES: dict[str, Any] = {"gradients": True, "rtol": 1e-3, "atol": 1e-3}
PROGRAMS = [
    Program("SelfAdjointEigV2", _self_adjoint, LAPACK, rtol=1e-4, atol=1e-4),
    Program("SelfAdjointEigV2", _self_adjoint_slopes, LAPACK, **_SLOPES),
    Program("Eig", _any, LAPACK, rtol=1e-4, atol=1e-3),
    Program("Eig", _any_slopes, LAPACK, **_SLOPES),
    *(
        Program("Svd", _singular(full), LAPACK, label=str(full), rtol=1e-4, atol=1e-4)
        for full in (False, True)
    ),
    *(
        Program("Svd", _singular_slopes(shape, full), LAPACK, label=f"{shape}{full}", **_SLOPES)
        for shape, full in (
            ((3, 3), False),
            ((2, 4), False),
            ((4, 2), False),
            ((2, 3), True),
            ((2, 3, 2), True),
        )
    ),
    Program("Svd", _no_slopes, FLOAT32_64),
]
