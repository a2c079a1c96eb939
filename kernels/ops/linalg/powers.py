"""Kernels of functions of whole matrices: square root, logarithm, exponential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.linalg.batches import TYPES, check_square, each
from dataflow.kernels.threads.stopping import look

_NEAR: Final = 0.25
"""How far from the identity a matrix may be for the sum of so many"""
_NODES: Final = 9
"""terms to be its logarithm to the last bits of a double."""
_MOST_ROOTS: Final = 100


def _for_each(compute: Callable[[Any], Any]) -> Callable[..., Any]:
    """The callable of a function of a matrix; of what is not finite nothing is known."""

    def one(matrix: Any) -> Any:
        if not np.isfinite(matrix).all():
            return np.full(matrix.shape, _nan(matrix.dtype))
        with np.errstate(all="ignore"):
            return compute(matrix)

    def run(matrix: Any) -> Any:
        check_square(matrix)
        out = np.empty(matrix.shape, matrix.dtype)
        return each(one, out, matrix) if out.size else out

    return run


def _nan(dtype: Any) -> Any:
    return complex(np.nan, np.nan) if np.dtype(dtype).kind == "c" else np.nan


@kernel("MatrixSquareRoot", dtypes={"T": TYPES}, host_inputs=("input",), host_outputs=("output",))
def matrix_square_root(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy.linalg import rsf2csf, schur

    def root(matrix: Any) -> Any:
        if np.iscomplexobj(matrix):
            return _turned_back(_triangular_root, *schur(matrix, output="complex"))
        triangle, turn = schur(matrix)
        if np.diagonal(triangle, -1).any():
            triangle, turn = rsf2csf(triangle, turn)
        values = np.diagonal(triangle)
        if ((values.imag == 0) & (values.real < 0)).any():
            return np.full(matrix.shape, np.nan)
        if triangle.dtype.kind == "f":
            # All is real: so it stays, and takes half the time.
            triangle = triangle.astype(np.float64)
        return _turned_back(_triangular_root, triangle, turn).real

    return _for_each(root)


def _turned_back(compute: Callable[[Any], Any], triangle: Any, turn: Any) -> Any:
    """A function of a matrix, from that of the triangle of its Schur decomposition."""
    return turn @ compute(triangle) @ np.conj(turn.T)


def _triangular_root(triangle: Any) -> Any:
    """The square root of an upper triangular matrix: Bjorck and Hammarling (1983).

    Deadman, Higham and Ralha, Blocked Schur algorithms for computing the matrix square root (2013),
    has the recursion; it needs sums of two eigenvalues' roots that are not 0.
    """
    if np.count_nonzero(np.diagonal(triangle)) < len(triangle):
        return _root_by_elements(triangle)
    from scipy.linalg.lapack import get_lapack_funcs

    (solve,) = get_lapack_funcs(("trsyl",), (triangle,))

    def root_of(part: Any) -> Any:
        size = len(part)
        if size == 1:
            return np.sqrt(part)
        look()
        half = size // 2
        first, last = root_of(part[:half, :half]), root_of(part[half:, half:])
        corner, scale, _ = solve(first, last, part[:half, half:])
        return np.block([[first, corner / scale], [np.zeros((size - half, half)), last]])

    return root_of(triangle)


def _root_by_elements(triangle: Any) -> Any:
    size = len(triangle)
    root = np.diag(np.sqrt(np.diagonal(triangle)))
    for column in range(1, size):
        look()
        for row in range(column - 1, -1, -1):
            between = slice(row + 1, column)
            rest = triangle[row, column] - root[row, between] @ root[between, column]
            root[row, column] = rest / (root[row, row] + root[column, column])
    return root


@kernel(
    "MatrixLogarithm", dtypes={"T": TYPES[2:]}, host_inputs=("input",), host_outputs=("output",)
)
def matrix_logarithm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy.linalg import schur

    def logarithm(matrix: Any) -> Any:
        return _turned_back(_triangular_log, *schur(matrix.astype(np.complex128)))

    return _for_each(logarithm)


def _triangular_log(triangle: Any) -> Any:
    """The logarithm of an upper triangular matrix, by inverse scaling and squaring: Higham,
    Functions of Matrices (2008), section 11.5; the integral of (I + t X)^-1 X is Gauss's sum."""
    if not np.diagonal(triangle).all():
        return np.full(triangle.shape, complex(np.nan, np.nan))
    unit, times = np.eye(len(triangle)), 0
    while np.abs(triangle - unit).sum(axis=0).max(initial=0) > _NEAR and times < _MOST_ROOTS:
        triangle, times = _triangular_root(triangle), times + 1
    rest = triangle - unit
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    parts = (
        weight / 2 * np.linalg.solve(unit + (place + 1) / 2 * rest, rest)
        for place, weight in zip(places, weights, strict=True)
    )
    return 2.0**times * sum(parts)


@kernel("MatrixExponential", dtypes={"T": TYPES}, host_inputs=("input",), host_outputs=("output",))
def matrix_exponential(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy.linalg import expm

    return _for_each(expm)
