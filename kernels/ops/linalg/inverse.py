"""Kernels of inverses and determinants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.linalg.batches import TYPES, adjoint, check_square, together
from dataflow.kernels.ops.linalg.solve import load_lapack
from dataflow.kernels.threads.stopping import look
from dataflow.values import dtypes

_WORTH: Final = 3_000_000
"""Multiplications that are worth a thread where matrices are only decomposed: LAPACK takes 200 us,
and two threads at once more than half of it each."""

_SINGULAR = "Input is not invertible."


@kernel(
    "MatrixInverse",
    "BatchMatrixInverse",
    dtypes={"T": (dtypes.half, *TYPES)},
    host_inputs=("input",),
    host_outputs=("output",),
)
def matrix_inverse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_adjoint = bool(node.attr("adjoint"))
    is_half = node.attr("T") is dtypes.half

    def run(matrix: Any) -> Any:
        check_square(matrix)
        wide = matrix.astype(np.float32) if is_half else matrix
        try:
            found = together(np.linalg.inv, adjoint(wide) if is_adjoint else wide)
        except np.linalg.LinAlgError:
            raise invalid(_SINGULAR) from None
        if np.isnan(found).any() and np.isnan(matrix).any():
            raise invalid(_SINGULAR)
        return found.astype(matrix.dtype, copy=False)

    return run


@kernel(
    "MatrixDeterminant",
    "BatchMatrixDeterminant",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("output",),
)
def matrix_determinant(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(matrix: Any) -> Any:
        check_square(matrix)
        with np.errstate(all="ignore"):
            return together(np.linalg.det, matrix, worth=_WORTH)

    return run


@kernel(
    "LogMatrixDeterminant",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("sign", "log_abs_determinant"),
)
def log_matrix_determinant(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(matrix: Any) -> tuple[Any, Any]:
        check_square(matrix)
        with np.errstate(all="ignore"):
            sign, logarithm = together(np.linalg.slogdet, matrix, worth=_WORTH)
        sign = np.where(np.isnan(logarithm), np.nan, sign)
        return sign.astype(matrix.dtype), np.asarray(logarithm).astype(matrix.dtype)

    return run


@kernel(
    "Lu",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("lu", "p"),
)
def lu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    load_lapack()
    from scipy.linalg.lapack import get_lapack_funcs

    index = node.attr("output_idx_type").as_numpy_dtype
    (decompose,) = get_lapack_funcs(("getrf",), dtype=node.attr("T").as_numpy_dtype)

    def run(matrix: Any) -> tuple[Any, Any]:
        if np.ndim(matrix) < 2:
            raise invalid(f"Input tensor must have rank >= 2, got {np.ndim(matrix)}")
        check_square(matrix)
        both, order = np.empty(matrix.shape, matrix.dtype), np.empty(matrix.shape[:-1], index)
        if not matrix.size:
            return both, order
        for place in np.ndindex(matrix.shape[:-2]):
            look()
            both[place], exchanged, _ = decompose(matrix[place])
            rows = list(range(len(exchanged)))
            for row, other in enumerate(exchanged.tolist()):
                rows[row], rows[other] = rows[other], rows[row]
            order[place] = rows
        if not (np.abs(np.diagonal(both, axis1=-2, axis2=-1)) > 0).all():
            raise invalid(_SINGULAR)
        return both, order

    return run
