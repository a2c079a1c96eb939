"""Kernels of matrices of which some diagonals are given: banded and tridiagonal ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.linalg.batches import TYPES, broadcast_batch, check_matrices
from dataflow.kernels.ops.linalg.solve import SINGULAR, mismatch
from dataflow.kernels.threads.stopping import look


@kernel(
    "BandedTriangularSolve",
    dtypes={"T": TYPES},
    host_inputs=("matrix", "rhs"),
    host_outputs=("output",),
)
def banded_triangular_solve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    lower, adjoint = bool(node.attr("lower")), bool(node.attr("adjoint"))

    def run(bands: Any, rhs: Any) -> Any:
        batch = broadcast_batch(bands, rhs)
        for which, array in enumerate((bands, rhs)):
            if not array.size:
                raise invalid(
                    f"In[{which}] must not be an empty tensor: Tensor<type: "
                    f"{node.attr('T').name} shape: {shape_text(array.shape)} values: >"
                )
        count, size = bands.shape[-2:]
        if size != rhs.shape[-2]:
            raise mismatch(bands, rhs, lower, adjoint)
        main = bands[..., 0 if lower else count - 1, :]
        if not (np.abs(main) > 0).all():
            raise invalid(SINGULAR)
        found = np.empty((*batch, *rhs.shape[-2:]), rhs.dtype)
        found[...] = rhs
        _substitute(np.conj(bands) if adjoint else bands, found, lower, adjoint)
        return found

    return run


def _substitute(bands: Any, found: Any, lower: bool, adjoint: bool) -> None:
    """Solves in the place of the right-hand side, in all matrices at once."""
    count, size = bands.shape[-2:]
    forward = lower != adjoint
    for step in range(size):
        look()
        row = step if forward else size - 1 - step
        for distance in range(1, min(count - 1, step) + 1):
            other = row - distance if forward else row + distance
            # Row i of the matrix is column i of the bands.
            band = distance if lower else count - 1 - distance
            place = other if adjoint else row
            found[..., row, :] -= bands[..., band, place, None] * found[..., other, :]
        found[..., row, :] /= bands[..., 0 if lower else count - 1, row, None]


@kernel(
    "TridiagonalSolve",
    dtypes={"T": TYPES},
    host_inputs=("diagonals", "rhs"),
    host_outputs=("output",),
)
def tridiagonal_solve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pivots = bool(node.attr("partial_pivoting"))

    def run(diagonals: Any, rhs: Any) -> Any:
        check_matrices(diagonals, rhs)
        if diagonals.shape[-2] != 3:
            raise invalid(
                "Expected diagonals to be provided as a matrix with 3 rows, got "
                f"{diagonals.shape[-2]} rows."
            )
        size = diagonals.shape[-1]
        if rhs.shape[-2] != size:
            raise invalid(
                "Expected the same number of left-hand sides and right-hand sides, got "
                f"{size} and {rhs.shape[-2]}."
            )
        if not rhs.size:
            return np.empty(rhs.shape, rhs.dtype)
        upper, main, lower = (np.array(diagonals[..., i, :]) for i in range(3))
        solve = _eliminated_by_pivots if pivots else _eliminated
        with np.errstate(all="ignore"):
            return solve(upper, main, lower, np.array(rhs))

    return run


def _eliminated(upper: Any, main: Any, lower: Any, x: Any) -> Any:
    """The algorithm of Thomas, in all matrices at once; NaN where it divides by zero."""
    size = main.shape[-1]
    for row in range(1, size):
        look()
        factor = lower[..., row] / main[..., row - 1]
        main[..., row] -= factor * upper[..., row - 1]
        x[..., row, :] -= factor[..., None] * x[..., row - 1, :]
    x[..., size - 1, :] /= main[..., size - 1, None]
    for row in range(size - 2, -1, -1):
        x[..., row, :] -= upper[..., row, None] * x[..., row + 1, :]
        x[..., row, :] /= main[..., row, None]
    return _without_singular(main, x)


def _without_singular(pivots: Any, x: Any) -> Any:
    x[~(np.abs(pivots) > 0).all(axis=-1)] = np.nan
    return x


def _eliminated_by_pivots(upper: Any, main: Any, lower: Any, x: Any) -> Any:
    """Gaussian elimination that swaps neighbours where the lower one is larger, as LAPACK's gtsv;
    NaN where a matrix is singular."""
    size = main.shape[-1]
    beyond = np.zeros_like(main)
    for row in range(size - 1):
        look()
        swap = np.abs(lower[..., row + 1]) > np.abs(main[..., row])
        after = upper[..., row + 1] if row + 2 < size else np.zeros_like(main[..., row])
        first = (main[..., row], upper[..., row], beyond[..., row])
        second = (lower[..., row + 1], main[..., row + 1], after)
        pivot = [np.where(swap, q, p) for p, q in zip(first, second, strict=True)]
        other = [np.where(swap, p, q) for p, q in zip(first, second, strict=True)]
        factor = other[0] / pivot[0]
        main[..., row], upper[..., row], beyond[..., row] = pivot
        main[..., row + 1] = other[1] - factor * pivot[1]
        if row + 2 < size:
            upper[..., row + 1] = other[2] - factor * pivot[2]
        top = np.where(swap[..., None], x[..., row + 1, :], x[..., row, :])
        under = np.where(swap[..., None], x[..., row, :], x[..., row + 1, :])
        x[..., row, :] = top
        x[..., row + 1, :] = under - factor[..., None] * top
    for row in range(size - 1, -1, -1):
        if row + 1 < size:
            x[..., row, :] -= upper[..., row, None] * x[..., row + 1, :]
        if row + 2 < size:
            x[..., row, :] -= beyond[..., row, None] * x[..., row + 2, :]
        x[..., row, :] /= main[..., row, None]
    return _without_singular(main, x)


@kernel(
    "TridiagonalMatMul",
    dtypes={"T": TYPES},
    host_inputs=("superdiag", "maindiag", "subdiag", "rhs"),
    host_outputs=("output",),
)
def tridiagonal_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    names = ("superdiagonal", "main diagonal", "subdiagonal")

    def run(upper: Any, main: Any, lower: Any, rhs: Any) -> Any:
        check_matrices(upper, main, lower, rhs)
        for name, diagonal in zip(names, (upper, main, lower), strict=True):
            if diagonal.shape[-2:] != (1, rhs.shape[-2]):
                raise invalid(f"Invalid {name} shape.")
        upper, main, lower = (np.swapaxes(d, -1, -2) for d in (upper, main, lower))
        found = main * rhs
        found[..., :-1, :] += upper[..., :-1, :] * rhs[..., 1:, :]
        found[..., 1:, :] += lower[..., 1:, :] * rhs[..., :-1, :]
        return found

    return run
