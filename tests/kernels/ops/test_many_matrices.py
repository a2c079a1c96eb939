"""Batches of matrices that several threads share: each as numpy takes it alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.ops.linalg import batches, inverse

SIDE = 64
MATRICES = np.random.default_rng(6).normal(size=(3, 4, SIDE, SIDE)) + 10 * np.eye(SIDE)
SYMMETRIC = MATRICES @ MATRICES.swapaxes(-1, -2)


def log_determinants(x: Any) -> Any:
    return np.linalg.slogdet(x)[1]


CASES: dict[str, tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "inverse": (MATRICES, tf.matrix_inverse, np.linalg.inv),
    "solve": (MATRICES, lambda x: tf.matrix_solve(x, x[..., :3]), lambda x: np.eye(SIDE)[:, :3]),
    "determinant": (MATRICES / 10, tf.matrix_determinant, np.linalg.det),
    "log determinant": (MATRICES, lambda x: tf.linalg.slogdet(x)[1], log_determinants),
    "cholesky": (SYMMETRIC, tf.cholesky, np.linalg.cholesky),
    "eigenvalues": (SYMMETRIC, tf.self_adjoint_eigvals, np.linalg.eigvalsh),
    "eigenvectors": (
        SYMMETRIC,
        lambda x: tf.matmul(*(2 * [tf.abs(tf.self_adjoint_eig(x)[1])]), transpose_b=True),
        lambda x: (a := np.abs(np.linalg.eigh(x)[1])) @ a.swapaxes(-1, -2),
    ),
    "singular values": (
        MATRICES,
        lambda x: tf.svd(x, compute_uv=False),
        lambda x: np.linalg.svd(x, compute_uv=False),
    ),
}


def run(build: Callable[[Any], Any], matrices: Any) -> Any:
    """Of fed matrices: what follows from constants is worked out by one thread."""
    config = tf.ConfigProto(intra_op_parallelism_threads=3)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        fed = tf.placeholder(tf.float64, matrices.shape)
        return session.run(build(fed), {fed: matrices})


def test_they_are_shared() -> None:
    assert SIDE**3 >= batches._WORTH
    assert 24 * SIDE**3 >= 2 * inverse._WORTH


@pytest.mark.parametrize("count", [21, 22, 24])
@pytest.mark.parametrize("name", ["determinant", "log determinant"])
def test_many_determinants(name: str, count: int) -> None:
    matrices, build, reference = CASES[name]
    some = np.concatenate([matrices, matrices[::-1]]).reshape(-1, SIDE, SIDE)[:count]
    np.testing.assert_allclose(run(build, some), reference(some), rtol=1e-9)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", [0, 1, 2, 12])
def test_values(name: str, count: int) -> None:
    matrices, build, reference = CASES[name]
    some = matrices.reshape(-1, SIDE, SIDE)[:count] if count < 12 else matrices
    found = run(build, some)
    wanted = np.broadcast_to(reference(some), found.shape)
    largest = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * largest)


@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
def test_one_that_is_singular(place: tuple[int, int]) -> None:
    spoilt = MATRICES.copy()
    spoilt[place][:, 7] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        run(tf.matrix_inverse, spoilt)


def test_one_that_cannot_be_decomposed() -> None:
    spoilt = SYMMETRIC.copy()
    spoilt[1, 1] *= -1
    found = run(tf.cholesky, spoilt)
    assert np.isnan(found[1, 1]).any()
    np.testing.assert_allclose(found[2, 3], np.linalg.cholesky(SYMMETRIC[2, 3]), rtol=1e-9)


def test_factors_and_the_order_of_rows() -> None:
    matrices = np.random.default_rng(8).normal(size=(2, SIDE, SIDE))
    both, order = run(tf.linalg.lu, matrices)
    for factors, rows, matrix in zip(both, order, matrices, strict=True):
        lower = np.tril(factors, -1) + np.eye(SIDE)
        np.testing.assert_allclose(lower @ np.triu(factors), matrix[rows], atol=1e-11)
        assert sorted(rows.tolist()) == list(range(SIDE)) != rows.tolist()
        assert np.abs(lower).max() <= 1
