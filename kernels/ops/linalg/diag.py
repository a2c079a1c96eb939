"""Kernels on the diagonals of matrices.

Diagonals of a matrix are the rows of a table, the highest first; those shorter than the longest
stand at the left or the right of their row.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS, PLAIN
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.selection import keep
from dataflow.values.dtypes import DType

_TYPES = {"T": PLAIN}
_DIAGONAL_TYPES = {
    "T": [d for d in NUMBERS if d.name in ("int32", "int64", "float16", "float32", "float64")]
    + [d for d in NUMBERS if d.is_complex]
}


class _Places(NamedTuple):
    """Where the elements of some diagonals are, in the matrix and in the table."""

    rows: Any
    columns: Any
    diagonals: Any
    positions: Any


@functools.lru_cache(maxsize=64)
def _places(rows: int, columns: int, low: int, high: int, align: bytes) -> _Places:
    left_above = align in (b"LEFT_LEFT", b"LEFT_RIGHT")
    left_below = align in (b"LEFT_LEFT", b"RIGHT_LEFT")
    longest = min(rows + min(high, 0), columns - max(low, 0))
    parts = []
    for number, k in enumerate(range(high, low - 1, -1)):
        length = min(rows + min(k, 0), columns - max(k, 0))
        left = (k >= 0 and left_above) or (k <= 0 and left_below)
        steps = np.arange(max(length, 0))
        parts.append(
            (
                steps - min(k, 0),
                steps + max(k, 0),
                np.full_like(steps, number),
                steps + (0 if left else longest - length),
            )
        )
    return _Places(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _align(node: KernelNode) -> bytes:
    align: bytes = node.attr("align") if node.op.endswith("V3") else b"LEFT_LEFT"
    return align


def _bounds(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal asked for."""
    if k.ndim > 1:
        raise invalid(
            f"diag_index must be a scalar or vector, received shape: {shape_text(k.shape)}"
        )
    values = k.reshape(-1).tolist()
    if not 1 <= len(values) <= 2:
        raise invalid(
            f"diag_index must have only one or two elements, received {len(values)} elements."
        )
    if values[0] > values[-1]:
        raise invalid(
            f"lower_diag_index must not be larger than upper_diag_index: {values[0]} > {values[-1]}"
        )
    return values[0], values[-1]


def _check_bounds(rows: int, columns: int, low: int, high: int) -> None:
    for name, k in (("lower", low), ("upper", high)):
        if k != 0 and not -rows < k < columns:
            raise invalid(
                f"{name}_diag_index is out of bound: {k}. It must be between {-rows} and {columns}"
            )


def _check_matrix(matrix: Any) -> None:
    if matrix.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shape_text(matrix.shape)}")


def _check_diagonal(diagonal: Any) -> None:
    if not diagonal.ndim:
        raise invalid(
            f"diagonal must be at least 1-dim, received shape: {shape_text(diagonal.shape)}"
        )


_MAIN = np.zeros((), np.int32)


@kernel("MatrixDiagPart", "BatchMatrixDiagPart", dtypes=_TYPES)
def main_diagonal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    return lambda matrix: _diagonals(xp, matrix, _MAIN, 0, dtype, b"LEFT_LEFT")


@kernel("MatrixDiagPartV2", "MatrixDiagPartV3", dtypes=_TYPES, host_inputs=("k",))
def diagonals(node: KernelNode, xp: Any) -> Callable[..., Any]:
    align, dtype = _align(node), node.output_dtypes[0]

    def run(matrix: Any, k: Any, padding: Any) -> Any:
        if padding.ndim:
            raise invalid("Padding must be scalar.")
        return _diagonals(xp, matrix, k, padding, dtype, align)

    return run


def _diagonals(xp: Any, matrix: Any, k: Any, padding: Any, dtype: DType, align: bytes) -> Any:
    _check_matrix(matrix)
    low, high = _bounds(k)
    rows, columns = matrix.shape[-2:]
    _check_bounds(rows, columns, low, high)
    places = _places(rows, columns, low, high, align)
    length = min(rows + min(high, 0), columns - max(low, 0))
    table = xp.full((*matrix.shape[:-2], high - low + 1, length), padding, dtype.as_numpy_dtype)
    table[..., places.diagonals, places.positions] = matrix[..., places.rows, places.columns]
    return table.reshape((*matrix.shape[:-2], length)) if low == high else table


@kernel("MatrixDiag", "BatchMatrixDiag", dtypes=_TYPES, grows=True)
def square(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    return lambda diagonal: _matrices(xp, diagonal, (_MAIN, -1, -1, 0), dtype, b"LEFT_LEFT")


@kernel(
    "MatrixDiagV2",
    "MatrixDiagV3",
    dtypes=_TYPES,
    grows=True,
    host_inputs=("k", "num_rows", "num_cols"),
)
def matrices(node: KernelNode, xp: Any) -> Callable[..., Any]:
    align, dtype = _align(node), node.output_dtypes[0]

    def run(diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding: Any) -> Any:
        for name, scalar in (
            ("num_rows", num_rows),
            ("num_cols", num_cols),
            ("padding_value", padding),
        ):
            if scalar.ndim:
                raise invalid(f"{name} must be a scalar")
        return _matrices(xp, diagonal, (k, int(num_rows), int(num_cols), padding), dtype, align)

    return run


def _matrices(
    xp: Any, diagonal: Any, wanted: tuple[Any, int, int, Any], dtype: DType, align: bytes
) -> Any:
    k, num_rows, num_cols, padding = wanted
    _check_diagonal(diagonal)
    low, high = _bounds(k)
    inner = 1 if low == high else 2
    if inner == 2 and (diagonal.ndim < 2 or diagonal.shape[-2] != high - low + 1):
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index and "
            "upper_diag_index range."
        )
    rows, columns = _sizes(diagonal.shape[-1], low, high, num_rows, num_cols)
    places = _places(rows, columns, low, high, align)
    batch = diagonal.shape[: diagonal.ndim - inner]
    result = xp.full((*batch, rows, columns), padding, dtype.as_numpy_dtype)
    table = diagonal.reshape((*batch, high - low + 1, diagonal.shape[-1]))
    result[..., places.rows, places.columns] = table[..., places.diagonals, places.positions]
    return result


def _sizes(length: int, low: int, high: int, rows: int, columns: int) -> tuple[int, int]:
    """Rows and columns: as asked for, or where that is -1 as needed."""
    least_rows = length - min(high, 0)
    least_columns = length + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows:
        raise invalid("The number of rows is too small.")
    if columns < least_columns:
        raise invalid("The number of columns is too small.")
    if rows != least_rows and columns != least_columns:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    return rows, columns


@kernel("MatrixSetDiag", "BatchMatrixSetDiag", dtypes=_TYPES)
def set_main_diagonal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda matrix, diagonal: _replaced(xp, matrix, diagonal, _MAIN, b"LEFT_LEFT")


@kernel("MatrixSetDiagV2", "MatrixSetDiagV3", dtypes=_TYPES, host_inputs=("k",))
def set_diagonals(node: KernelNode, xp: Any) -> Callable[..., Any]:
    align = _align(node)
    return lambda matrix, diagonal, k: _replaced(xp, matrix, diagonal, k, align)


def _replaced(xp: Any, matrix: Any, diagonal: Any, k: Any, align: bytes) -> Any:
    _check_matrix(matrix)
    _check_diagonal(diagonal)
    low, high = _bounds(k)
    rows, columns = matrix.shape[-2:]
    _check_bounds(rows, columns, low, high)
    count = high - low + 1
    if count > 1 and (diagonal.ndim < 2 or diagonal.shape[-2] != count):
        raise invalid(
            "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` "
            "and `upper_diag_index`"
        )
    length = min(rows + min(high, 0), columns - max(low, 0))
    batch = matrix.shape[:-2]
    expected = (*batch, length) if low == high else (*batch, count, length)
    if diagonal.shape != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            "[lower_diag_index:upper_diag_index].\nInput shape: "
            f"{shape_text(matrix.shape)}\nDiagonal shape: {shape_text(diagonal.shape)}\nExpected "
            f"diagonal shape: {shape_text(expected)}"
        )
    places = _places(rows, columns, low, high, align)
    result = xp.array(matrix, copy=True)
    table = diagonal.reshape((*batch, count, length))
    result[..., places.rows, places.columns] = table[..., places.diagonals, places.positions]
    return result


def in_band(xp: Any, rows: int, columns: int, low: int, high: int) -> Any:
    """Which elements of a matrix are in a band."""
    distance = xp.arange(columns)[None, :] - xp.arange(rows)[:, None]
    return ((distance >= -low) | (low < 0)) & ((distance <= high) | (high < 0))


FindBand = Callable[[Any, int, int, int, int], Any]
"""`f(xp, rows, columns, low, high)`: what `in_band` gives."""


@kernel(
    "MatrixBandPart",
    "BatchMatrixBandPart",
    dtypes=_TYPES,
    host_inputs=("num_lower", "num_upper"),
)
def band(node: KernelNode, xp: Any, find: FindBand = in_band) -> Callable[..., Any]:
    def run(matrix: Any, num_lower: Any, num_upper: Any) -> Any:
        _check_matrix(matrix)
        rows, columns = matrix.shape[-2:]
        for name, scalar, what, limit in (
            ("num_lower", num_lower, "rows", rows),
            ("num_upper", num_upper, "columns", columns),
        ):
            if scalar.ndim:
                raise invalid(f"{name} must be scalar, got shape {shape_text(scalar.shape)}")
            if int(scalar) > limit:
                raise invalid(
                    f"{name} must be negative or less or equal to number of {what} ({limit}) got: "
                    f"{int(scalar)}"
                )
        inside = find(xp, rows, columns, int(num_lower), int(num_upper))
        return keep(xp, xp.broadcast_to(inside, matrix.shape), matrix)

    return run


@kernel("Diag", dtypes=_DIAGONAL_TYPES, grows=True)
def diag(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(diagonal: Any) -> Any:
        if not diagonal.ndim:
            raise invalid("Input must be at least rank 1, got 0")
        flat = diagonal.reshape(-1)
        whole = xp.zeros((flat.size, flat.size), diagonal.dtype)
        places = xp.arange(flat.size)
        whole[places, places] = flat
        return whole.reshape(diagonal.shape + diagonal.shape)

    return run


@kernel("DiagPart", dtypes=_DIAGONAL_TYPES)
def diag_part(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any) -> Any:
        half, odd = divmod(value.ndim, 2)
        if odd or not half:
            raise invalid(
                "The rank of the tensor should be even and positive, got shape "
                f"{shape_text(value.shape)}"
            )
        for i in range(half):
            if value.shape[i] != value.shape[i + half]:
                raise invalid(
                    f"Invalid shape {shape_text(value.shape)}: dimensions {i} and {i + half} do "
                    "not match."
                )
        count = math.prod(value.shape[:half])
        places = xp.arange(count)
        return value.reshape(count, count)[places, places].reshape(value.shape[:half])

    return run
