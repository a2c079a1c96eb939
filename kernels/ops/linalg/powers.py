"""Kernels of functions of whole matrices: square root, logarithm, exponential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.linalg.batches import TYPES, check_square, each


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
    from scipy.linalg import sqrtm

    def root(matrix: Any) -> Any:
        found = sqrtm(matrix)
        if np.iscomplexobj(found) and not np.iscomplexobj(matrix):
            return np.full(matrix.shape, np.nan)
        return found

    return _for_each(root)


@kernel(
    "MatrixLogarithm", dtypes={"T": TYPES[2:]}, host_inputs=("input",), host_outputs=("output",)
)
def matrix_logarithm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy.linalg import logm

    return _for_each(lambda matrix: logm(matrix.astype(np.complex128)))


@kernel("MatrixExponential", dtypes={"T": TYPES}, host_inputs=("input",), host_outputs=("output",))
def matrix_exponential(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy.linalg import expm

    return _for_each(expm)
