"""Matrices that rows need: definite, symmetric, triangular, far from singular."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, Values

LAPACK = (*FLOAT32_64, *COMPLEX)
"""The element types that LAPACK has."""
SQUARES = ((3, 3), (2, 3, 3), (1, 1), (0, 0), (2, 0, 0), (0, 2, 2), (2, 1, 2, 2))


def regular(v: Values, *shape: int) -> np.ndarray:
    """Matrices with small elements off a diagonal of about 5."""
    return (v.any(*shape) + 6 * np.eye(shape[-2], shape[-1])).astype(v.dtype)


def symmetric(v: Values, *shape: int) -> np.ndarray:
    """Self-adjoint matrices."""
    half = v.any(*shape)
    return (half + np.conj(np.swapaxes(half, -1, -2))).astype(v.dtype)


def definite(v: Values, *shape: int) -> np.ndarray:
    """Positive definite matrices."""
    half = v.any(*shape)
    product = np.matmul(half, np.conj(np.swapaxes(half, -1, -2)))
    return np.asarray(product + np.eye(shape[-1])).astype(v.dtype)


def triangular(v: Values, *shape: int) -> np.ndarray:
    """Lower triangular matrices with a diagonal of about 5, and what does not count above it."""
    return regular(v, *shape)
