"""Operators of the survey of numerical methods: decompositions, draws, special functions."""

from __future__ import annotations

from collections.abc import Iterator

from survey.program import Operator, normal, positive


def _matrices() -> Iterator[Operator]:
    matrices = [normal(20, 60, 60)]
    calls = {
        "solve": lambda tf, x: tf.matrix_solve(x + 20.0 * tf.eye(60), x),
        "triangular solve": lambda tf, x: tf.matrix_triangular_solve(x + 20.0 * tf.eye(60), x),
        "cholesky": lambda tf, x: tf.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(60)),
        "inverse": lambda tf, x: tf.matrix_inverse(x + 20.0 * tf.eye(60)),
        "log determinant": lambda tf, x: tf.linalg.slogdet(x + 20.0 * tf.eye(60))[1],
        "qr": lambda tf, x: tf.linalg.qr(x)[1],
        "singular values": lambda tf, x: tf.linalg.svd(x, compute_uv=False),
    }
    for name, call in calls.items():
        yield Operator(f"matrices: {name}", matrices, call)
    yield Operator("matrices: lu", matrices, lambda tf, x: tf.linalg.lu(x)[0], differentiable=False)


def _draws() -> Iterator[Operator]:
    calls = {
        "gamma": lambda tf, x: tf.random_gamma([1000], x[:50], seed=1),
        "Poisson": lambda tf, x: tf.random_poisson(x[:50], [1000], seed=2),
        "classes": lambda tf, x: tf.multinomial(tf.reshape(x, [50, 100]), 5, seed=3),
        "shuffled": lambda tf, x: tf.random_shuffle(x, seed=4),
    }
    for name, call in calls.items():
        yield Operator(f"drawn: {name}", [positive(5000)], call, False, random=True)


def _special_functions() -> Iterator[Operator]:
    for name in ("digamma", "bessel_i0", "erfinv"):
        yield Operator(
            f"special: {name}",
            [positive(200, 100)],
            lambda tf, x, name=name: getattr(tf.math, name)(0.1 * x),
        )
    for name in ("igamma", "igammac", "zeta", "polygamma"):
        yield Operator(
            f"special: {name}",
            [positive(200, 100), positive(200, 100)],
            lambda tf, x, y, name=name: getattr(tf.math, name)(tf.floor(x) + 2.0, y),
            differentiable=False,
        )


NUMERICS: tuple[Operator, ...] = (*_matrices(), *_draws(), *_special_functions())
