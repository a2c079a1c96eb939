"""The operators that are compared: each made by the library it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow

_GENERATOR = np.random.default_rng(7)


def _numbers(*shape: int, dtype: str) -> Any:
    values = _GENERATOR.uniform(-1.0, 1.0, shape)
    if "complex" in dtype:
        values = values + 1j * _GENERATOR.uniform(-1.0, 1.0, shape)
    return values.astype(dtype)


def _constants(dtype: str) -> dict[str, Any]:
    size = 3
    square = _numbers(2, size, size, dtype=dtype) + 3 * np.eye(size, dtype=dtype)
    one = _numbers(size, size, dtype=dtype) + 3 * np.eye(size, dtype=dtype)
    return {
        "square": square,
        "one": one,
        "definite": square @ np.conj(np.swapaxes(square, -1, -2)),
        "wide": _numbers(2, 2, size, dtype=dtype),
        "diag": _numbers(2, size, dtype=dtype) + np.asarray(2, dtype),
        "scale": _numbers(2, dtype=dtype) + np.asarray(2, dtype),
    }


def _tridiagonal(tf: Any, diagonals: Any, diagonals_format: str = "compact") -> Any:
    """TensorFlow's takes no vector to a batch of matrices: there it is a dense one."""
    made = tf.linalg.LinearOperatorTridiag(diagonals, diagonals_format)
    if tf is dataflow:
        return made
    return tf.linalg.LinearOperatorFullMatrix(made.to_dense())


def build(tf: Any, dtype: str) -> dict[str, Any]:
    """One operator of each kind, of the same numbers in both libraries."""
    global _GENERATOR
    _GENERATOR = np.random.default_rng(7)
    of = _constants(dtype)
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix(of["square"])
    single = linalg.LinearOperatorFullMatrix(of["one"], is_non_singular=True)
    diag = linalg.LinearOperatorDiag(of["diag"], is_non_singular=True)
    lower = linalg.LinearOperatorLowerTriangular(of["square"], is_non_singular=True)
    wide = linalg.LinearOperatorFullMatrix(of["wide"][0], is_square=False)
    small = linalg.LinearOperatorDiag(of["diag"][:, :2], is_non_singular=True)
    lower_blocks = [
        [single],
        [wide, small],
        [full, linalg.LinearOperatorFullMatrix(of["wide"][0].T), diag],
    ]
    return {
        "full": full,
        "definite": linalg.LinearOperatorFullMatrix(
            of["definite"], is_self_adjoint=True, is_positive_definite=True
        ),
        "wide": linalg.LinearOperatorFullMatrix(of["wide"]),
        "diag": diag,
        "lower": lower,
        "identity": linalg.LinearOperatorIdentity(3, dtype=dtype),
        "identities": linalg.LinearOperatorIdentity(3, batch_shape=[2], dtype=dtype),
        "scaled": linalg.LinearOperatorScaledIdentity(3, of["scale"], is_non_singular=True),
        "composition": linalg.LinearOperatorComposition([single, diag]),
        "adjoint": linalg.LinearOperatorAdjoint(full),
        "inverse": linalg.LinearOperatorInversion(single),
        "diag by diag": diag.matmul(diag),
        "diag by lower": diag.matmul(lower),
        "full by lower": single @ lower,
        "inverse by full": diag.inverse() @ full,
        "adjoint of product": (single @ lower).adjoint(),
        "factor": linalg.LinearOperatorFullMatrix(
            of["definite"], is_self_adjoint=True, is_positive_definite=True
        ).cholesky(),
        "updated": linalg.LinearOperatorLowRankUpdate(
            diag, _numbers(3, 2, dtype=dtype), of["diag"][:, :2], _numbers(2, 3, 2, dtype=dtype)
        ),
        "updated by itself": linalg.LinearOperatorLowRankUpdate(
            linalg.LinearOperatorIdentity(3, dtype=dtype), _numbers(3, 2, dtype=dtype)
        ),
        "blocks": linalg.LinearOperatorBlockDiag([single, diag]),
        "adjoint of blocks": linalg.LinearOperatorBlockDiag([single, diag]).adjoint(),
        "kronecker": linalg.LinearOperatorKronecker([single, diag]),
        "zeros": linalg.LinearOperatorZeros(3, batch_shape=[2], dtype=dtype),
        "householder": linalg.LinearOperatorHouseholder(of["diag"]),
        "toeplitz": linalg.LinearOperatorToeplitz(of["diag"], of["diag"] + 1),
        "permutation": linalg.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], dtype=dtype),
        "circulant": linalg.LinearOperatorCirculant(
            np.array([[4.0, 1.0, 1.0], [5.0, 2.0, 2.0]], np.complex128),
            input_output_dtype=np.dtype(dtype),
        ),
        "circulant of blocks": linalg.LinearOperatorCirculant2D(
            np.array([[4.0, 1.0, 1.0], [5.0, 2.0, 2.0]], np.complex128),
            input_output_dtype=np.dtype(dtype),
        ),
        "solved": diag.solve(full),
        "three diagonals": _tridiagonal(
            tf, _numbers(2, 3, 3, dtype=dtype) + np.asarray([[0], [3], [0]], dtype)
        ),
        "three vectors": _tridiagonal(
            tf,
            [of["diag"], of["diag"] + np.asarray(3, dtype), of["diag"] - np.asarray(1, dtype)],
            diagonals_format="sequence",
        ),
        "of a matrix": _tridiagonal(
            tf,
            of["square"] * (np.tri(3, k=1) * np.tri(3, k=1).T).astype(dtype),
            diagonals_format="matrix",
        ),
        "lower blocks": linalg.LinearOperatorBlockLowerTriangular(lower_blocks),
        "inverse of lower blocks": linalg.LinearOperatorBlockLowerTriangular(
            lower_blocks
        ).inverse(),
    }
