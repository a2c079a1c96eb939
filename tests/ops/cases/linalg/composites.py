"""Rows for functions of linear algebra that are made of several ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64
from tests.ops.cases.linalg.matrices import LAPACK, definite, regular
from tests.ops.knowledge import PARTIAL, STATIC, UNKNOWN
from tests.ops.program import (
    Inputs,
    Program,
    Step,
    fails,
    infers,
    refused,
    refused_alike,
    run,
    slopes,
)


def _logarithms(tf: Any, v: Inputs) -> Iterator[Step]:
    matrix = v.known(definite(v, 2, 3, 3))
    yield run(tf.linalg.logdet(matrix), *tf.linalg.slogdet(matrix), tf.linalg.adjoint(matrix))
    yield run(*tf.linalg.normalize(matrix, axis=[-2, -1]), *tf.linalg.normalize(matrix, ord=1))


def _pseudo_inverses(tf: Any, v: Inputs) -> Iterator[Step]:
    for shape in ((3, 2), (2, 3), (2, 3, 3), (2, 2, 4)):
        matrix = v.fed(v.any(*shape))
        yield run(tf.linalg.pinv(matrix), tf.linalg.matrix_rank(matrix))
        yield run(tf.linalg.pinv(matrix, rcond=0.3, validate_args=True))
        yield run(tf.linalg.matrix_rank(matrix, tol=2.0, validate_args=True))
    # An array of doubles counts as one of floats: the second value is lost among the first's.
    yield run(tf.linalg.matrix_rank(np.diag([1.0, 1e-10])))
    lost = v.fed([[1, 2], [2, 4]])
    yield run(tf.linalg.pinv(lost), tf.linalg.matrix_rank(lost))
    yield slopes(tf, [tf.linalg.pinv(v.known(regular(v, 2, 2)))], [v.values[-1][0]])
    for refuse in (tf.linalg.pinv, tf.linalg.matrix_rank):
        yield refused_alike(lambda f=refuse: f(v.constant(v.any(2))))
        yield refused_alike(lambda f=refuse: f(tf.constant([[1, 2], [3, 4]])))
    checked = tf.linalg.matrix_rank(v.hidden(v.any(2)), validate_args=True)
    yield fails("InvalidArgumentError", "must have at least 2 dimensions", checked)


def _decompositions(tf: Any, v: Inputs) -> Iterator[Step]:
    for shape, rhs in (
        ((3, 3), (3, 2)),
        ((2, 3, 3), (2, 3, 1)),
        ((2, 3, 3), (3, 2)),
        ((1, 1),) * 2,
    ):
        matrix, known = v.fed(regular(v, *shape)[..., ::-1, :]), v.fed(v.any(*rhs))
        both, order = tf.linalg.lu(matrix)
        yield run(both, order, tf.linalg.lu_reconstruct(both, order))
        yield run(tf.linalg.lu_solve(both, order, known))
        yield run(tf.linalg.lu_matrix_inverse(both, order))
        yield run(tf.linalg.lu_solve(both, order, known, validate_args=True))
        yield run(tf.linalg.lu_reconstruct(both, order, validate_args=True))
    places = tf.constant([0, 1])
    square, wide = (v.constant(v.any(2, n)) for n in (2, 3))
    yield refused_alike(lambda: tf.linalg.lu_reconstruct(wide, places))
    yield refused_alike(lambda: tf.linalg.lu_reconstruct(places, places))
    yield refused_alike(lambda: tf.linalg.lu_solve(square, [places], square))
    yield refused_alike(lambda: tf.linalg.lu_solve(square, places, v.constant(v.any(2))))
    yield refused_alike(lambda: tf.linalg.lu_solve(square, places, v.constant(v.any(3, 2))))
    hidden = tf.linalg.lu_reconstruct(v.hidden(v.any(2, 3)), [0, 1], validate_args=True)
    yield fails("InvalidArgumentError", "`lower_upper` must be square", hidden)


def _exponentials(tf: Any, v: Inputs) -> Iterator[Step]:
    # The size of a matrix says which polynomial it takes, and how often it is squared then.
    sizes = np.reshape([0.01, 0.2, 0.9, 2, 5, 40], (6, 1, 1))
    for part in (sizes, sizes[:1]):
        matrix = v.any(len(part), 3, 3) * part / 9
        yield run(tf.linalg.expm(v.fed(matrix.astype(v.dtype))))
    yield run(tf.linalg.expm(v.fed(v.any(2, 2))), tf.linalg.expm(v.constant(v.any(0, 0))))
    yield run(tf.linalg.expm(v.constant(np.zeros((2, 2)), v.dtype)))
    yield refused_alike(lambda: tf.linalg.expm(v.constant(v.any(2))))


def _exponential_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    matrix = v.known(v.any(2, 2, 2) * np.array([[[0.1]], [[2]]], v.dtype))
    yield slopes(tf, [tf.abs(tf.linalg.expm(matrix))], [matrix])


def _least_squares(tf: Any, v: Inputs) -> Iterator[Step]:
    for shape, rhs in (((3, 2), (3, 1)), ((2, 3), (2, 1)), ((2, 3, 2), (2, 3, 2))):
        matrix, known = v.fed(regular(v, *shape)), v.fed(v.any(*rhs))
        yield run(tf.matrix_solve_ls(matrix, known))
        yield run(tf.matrix_solve_ls(matrix, known, fast=False))
        if v.name == "complex128":
            yield refused_alike(lambda m=matrix, k=known: tf.matrix_solve_ls(m, k, 0.5))
        else:
            yield run(tf.matrix_solve_ls(matrix, known, 0.5))
    many = v.known(regular(v, 9000, 2, 2))
    yield infers(tf.matrix_solve_ls(many, many))
    yield run(tf.shape(tf.matrix_solve_ls(many, many)))


def _tridiagonal(tf: Any, v: Inputs) -> Iterator[Step]:
    bands = v.any(3, 4)
    bands[1] += 7
    matrix = sum(np.diag(d, k) for k, d in ((1, bands[0, :3]), (0, bands[1]), (-1, bands[2, 1:])))
    compact, known = v.known(bands), v.known(v.any(4, 2))
    split = tuple(v.known(each) for each in bands)
    short = (v.known(bands[0, :3]), split[1], v.known(bands[2, 1:]))
    whole = v.known(np.asarray(matrix, v.dtype))
    solve, multiply = tf.linalg.tridiagonal_solve, tf.linalg.tridiagonal_matmul
    yield run(solve(compact, known), multiply(compact, known))
    yield run(solve(compact, known[:, 0]), solve(compact, known, partial_pivoting=False))
    yield run(solve(compact, v.known(v.any(2, 4)), transpose_rhs=True, conjugate_rhs=True))
    yield run(solve(split, known, "sequence"), multiply(split, known, "sequence"))
    yield run(solve(short, known, "sequence"))
    yield run(solve(whole, known, "matrix"), multiply(whole, known, "matrix"))
    yield refused_alike(lambda: solve(compact, known, "foo"))
    yield refused_alike(lambda: multiply(compact, known, "foo"))
    yield refused_alike(lambda: solve(compact, known, "sequence"))
    yield refused_alike(lambda: solve(known, known, "matrix"))
    yield refused_alike(lambda: solve(known, known))
    yield refused_alike(lambda: solve(compact, compact))
    yield refused_alike(
        lambda: solve(compact, known, perturb_singular=True, partial_pivoting=False)
    )
    shorter = v.known(bands[2, :2])
    yield refused_alike(lambda: solve((shorter, split[1], split[2]), known, "sequence"))


def _eigenvalues(tf: Any, v: Inputs) -> Iterator[Step]:
    alpha, beta = v.known(v.any(5)), v.known(v.any(4))
    find = tf.linalg.eigh_tridiagonal
    yield run(find(alpha, beta), find(alpha, beta, select="i", select_range=(1, 3)))
    values, vectors = find(alpha, beta, eigvals_only=False)
    yield run(values, tf.abs(vectors))
    yield run(tf.shape(find(alpha, beta, select="v", select_range=(-2.0, 2.0))))
    yield refused_alike(lambda: find(alpha, beta, select="x"))
    for select, text in (("v", "empty interval"), ("i", "empty index range")):
        yield refused(
            "InvalidArgumentError",
            f"Got {text} in select_range",
            lambda s=select: find(alpha, beta, select=s, select_range=(2, 1)),
        )


def _norms(tf: Any, v: Inputs) -> Iterator[Step]:
    matrices = v.fed(v.any(2, 3, 4))
    for axis in ((-2, -1), (0, 2), (2, 0), (1, 0)):
        yield run(tf.norm(matrices, 2, axis), tf.norm(matrices, 2, axis, keepdims=True))


PROGRAMS = [
    Program("LogMatrixDeterminant Cholesky", _logarithms, LAPACK, rtol=1e-4, atol=1e-4),
    Program(
        "Svd", _pseudo_inverses, FLOAT32_64, gradients=True, numeric=False, rtol=1e-3, atol=1e-3
    ),
    Program("Lu", _decompositions, LAPACK, rtol=1e-4, atol=1e-4, shapes=(STATIC, PARTIAL, UNKNOWN)),
    Program("MatrixSolve", _exponentials, LAPACK, rtol=1e-4, atol=1e-4),
    Program("MatrixSolve", _exponential_slopes, LAPACK, gradients=True, rtol=1e-3, atol=1e-3),
    Program("MatrixSolveLs", _least_squares, LAPACK, rtol=1e-3, atol=1e-3),
    Program("TridiagonalSolve TridiagonalMatMul", _tridiagonal, LAPACK, rtol=1e-4, atol=1e-4),
    # TensorFlow finds the vectors by iterations that start with random numbers.
    Program("SelfAdjointEigV2", _eigenvalues, FLOAT32_64, rtol=1e-3, atol=1e-3, crosses=False),
    # TensorFlow does not know the shapes: it finds the order of axes in the step.
    Program("Svd", _norms, LAPACK, rtol=1e-4, atol=1e-4, shapes=()),
]
