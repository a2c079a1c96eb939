"""Kernels of eigenvalues and singular values, with their vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.linalg.batches import (
    TYPES,
    check_matrices,
    check_square,
    or_each,
    together,
    unsuccessful,
)
from dataflow.values import dtypes


@kernel(
    "SelfAdjointEigV2",
    "BatchSelfAdjointEigV2",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("e", "v"),
)
def self_adjoint_eig(node: KernelNode, xp: Any) -> Callable[..., Any]:
    with_vectors = bool(node.attr("compute_v"))

    def run(matrix: Any) -> tuple[Any, Any]:
        check_square(matrix)
        values, vectors = _self_adjoint(matrix, with_vectors)
        return values.astype(matrix.dtype), vectors

    return run


def _self_adjoint(matrix: Any, with_vectors: bool) -> tuple[Any, Any]:
    failure = invalid(
        "Self-adjoint eigen decomposition was not successful. The input might not be valid."
    )
    if np.isnan(np.tril(matrix)).any():
        raise failure
    try:
        if with_vectors:
            values, vectors = together(np.linalg.eigh, matrix)
            return values, vectors
        return together(np.linalg.eigvalsh, matrix), np.empty((0,), matrix.dtype)
    except np.linalg.LinAlgError:
        raise failure from None


@kernel(
    "SelfAdjointEig",
    "BatchSelfAdjointEig",
    dtypes={"T": TYPES[:2]},
    host_inputs=("input",),
    host_outputs=("output",),
)
def self_adjoint_eig_together(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(matrix: Any) -> Any:
        check_square(matrix)
        values, vectors = _self_adjoint(matrix, True)
        return np.concatenate([values[..., None, :], vectors], axis=-2)

    return run


@kernel("Eig", dtypes={"T": TYPES}, host_inputs=("input",), host_outputs=("e", "v"))
def eig(node: KernelNode, xp: Any) -> Callable[..., Any]:
    with_vectors = bool(node.attr("compute_v"))
    made = node.attr("Tout")
    wide = node.attr("T") in (dtypes.float64, dtypes.complex128)
    fitting = dtypes.complex128 if wide else dtypes.complex64
    dtype = made.as_numpy_dtype

    def run(matrix: Any) -> tuple[Any, Any]:
        check_square(matrix)
        if made is not fitting:
            raise invalid(
                f"Invalid output dtype {made.as_datatype_enum} vs {fitting.as_datatype_enum}"
            )
        failure = invalid("Eigen decomposition was not successful. The input might not be valid.")
        if not np.isfinite(matrix).all():
            raise failure
        try:
            if with_vectors:
                values, vectors = np.linalg.eig(matrix)
                return values.astype(dtype), vectors.astype(dtype)
            return np.linalg.eigvals(matrix).astype(dtype), np.empty((0,), dtype)
        except np.linalg.LinAlgError:
            raise failure from None

    return run


@kernel(
    "Svd",
    "BatchSvd",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("s", "u", "v"),
)
def svd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    with_vectors, full = bool(node.attr("compute_uv")), bool(node.attr("full_matrices"))

    def decomposed(matrix: Any) -> tuple[Any, Any, Any]:
        u, s, v = np.linalg.svd(matrix, full_matrices=full)
        return s, u, np.conj(np.swapaxes(v, -1, -2))

    def failed(matrix: Any) -> tuple[Any, Any, Any]:
        rows, columns = matrix.shape
        inner = min(rows, columns)
        shapes = (
            (inner,),
            (rows, rows if full else inner),
            (columns, columns if full else inner),
        )
        return tuple(np.full(shape, unsuccessful(matrix.dtype), matrix.dtype) for shape in shapes)  # type: ignore[return-value]

    def run(matrix: Any) -> tuple[Any, Any, Any]:
        check_matrices(matrix)
        if with_vectors:
            s, u, v = or_each(decomposed, failed, matrix, 3)
            return s.astype(matrix.dtype), u, v
        (s,) = or_each(
            lambda a: (np.linalg.svd(a, compute_uv=False),), lambda a: failed(a)[:1], matrix, 1
        )
        nothing = np.empty((0,), matrix.dtype)
        return s.astype(matrix.dtype), nothing, nothing

    return run
