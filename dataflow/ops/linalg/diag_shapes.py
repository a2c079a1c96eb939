"""Static shapes of the ops on diagonals."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import Size, size_at, subshape, unknown_of_rank
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import (
    UNKNOWN,
    merge,
    merge_dim,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape


def diag(c: InferenceContext) -> TensorShape:
    """Diag: the shape twice."""
    shape = with_rank_at_least(c.input(0), 1)
    return shape.concatenate(shape)


def diag_part(c: InferenceContext) -> TensorShape:
    """DiagPart: the first half of a shape whose halves are equal."""
    dims = c.input(0).dims_tuple
    if dims is None:
        return UNKNOWN
    if not dims or len(dims) % 2:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    half = len(dims) // 2
    return TensorShape.of(tuple(merge_dim(dims[i], dims[i + half]) for i in range(half)))


def _smaller(m: Size, n: Size) -> Size:
    if m == 0 or n == 0:
        return 0
    return None if m is None or n is None else min(m, n)


def matrix_diag(c: InferenceContext) -> TensorShape:
    """MatrixDiag: the last dimension twice."""
    shape = with_rank_at_least(c.input(0), 1)
    return shape.concatenate(subshape(shape, -1))


def matrix_diag_part(c: InferenceContext) -> TensorShape:
    """MatrixDiagPart: the smaller of the last two dimensions."""
    shape = with_rank_at_least(c.input(0), 2)
    if shape.rank is None:
        return UNKNOWN
    length = _smaller(size_at(shape, -2), size_at(shape, -1))
    return subshape(shape, 0, -2).concatenate(TensorShape.of((length,)))


def matrix_set_diag(c: InferenceContext) -> TensorShape:
    """MatrixSetDiag: the matrix's shape."""
    shape = with_rank_at_least(c.input(0), 2)
    diagonal = with_rank_at_least(c.input(1), 1)
    if shape.rank is not None:
        merge_dim(_smaller(size_at(shape, -2), size_at(shape, -1)), size_at(diagonal, -1))
    return _with_batch_of(shape, diagonal, 1)


def _with_batch_of(shape: TensorShape, diagonal: TensorShape, inner: int) -> TensorShape:
    """What the diagonals' shape says of a batch of matrices."""
    if diagonal.rank is None or shape.is_fully_defined():
        return shape
    return merge(shape, subshape(diagonal, 0, -inner).concatenate(unknown_of_rank(2)))


def _bounds(c: InferenceContext, index: int) -> tuple[int, int] | None:
    """The lowest and highest diagonal asked for, if known."""
    with_rank_at_most(c.input(index), 1)
    k = c.constant(index)
    if k is None:
        return None
    if k.ndim and not 1 <= k.size <= 2:
        raise ValueError(
            f"diag_index must be a vector with one or two elements. It has {k.size} elements."
        )
    low, high = int(k.reshape(-1)[0]), int(k.reshape(-1)[-1])
    if low > high:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return low, high


def _check_bounds(rows: int, columns: int, low: int, high: int) -> None:
    for name, k in (("lower", low), ("upper", high)):
        # Matrices without rows or columns still have diagonal 0.
        if k != 0 and not -rows < k < columns:
            raise ValueError(f"{name}_diag_index is out of bound.")


def matrix_diag_part_k(c: InferenceContext) -> TensorShape:
    """MatrixDiagPartV2 and V3: one row for each diagonal, of the length of the longest."""
    shape = with_rank_at_least(c.input(0), 2)
    with_rank_at_most(c.input(1), 1)
    with_rank(c.input(2), 0)
    if shape.rank is None:
        return UNKNOWN
    bounds = _bounds(c, 1)
    if bounds is None:
        return UNKNOWN
    low, high = bounds
    rows, columns = size_at(shape, -2), size_at(shape, -1)
    length: Size = None
    if rows is not None and columns is not None:
        _check_bounds(rows, columns, low, high)
        length = min(rows + min(high, 0), columns - max(low, 0))
    inner = (length,) if low == high else (high - low + 1, length)
    return subshape(shape, 0, -2).concatenate(TensorShape.of(inner))


def matrix_diag_k(c: InferenceContext) -> TensorShape:
    """MatrixDiagV2 and V3: as many rows and columns as asked for, or as needed."""
    shape = with_rank_at_least(c.input(0), 1)
    with_rank_at_most(c.input(1), 1)
    for index in (2, 3, 4):
        with_rank(c.input(index), 0)
    if shape.rank is None:
        return UNKNOWN
    bounds = _bounds(c, 1)
    if bounds is None:
        return UNKNOWN
    low, high = bounds
    count = size_at(with_rank_at_least(shape, 2), -2) if low < high else None
    if count is not None and count != high - low + 1:
        raise ValueError(
            "The number of rows of `diagonal` doesn't match the number of diagonals implied from "
            f"`d_lower` and `d_upper`.\nnum_diags = {count}, d_lower = {low}, d_upper = {high} "
            f"{shape.rank} {shape.rank}"
        )
    rows, columns = _matrix_sizes(c, size_at(shape, -1), low, high)
    batch = subshape(shape, 0, -1 if low == high else -2)
    return batch.concatenate(TensorShape.of((rows, columns)))


def _matrix_sizes(c: InferenceContext, length: Size, low: int, high: int) -> tuple[Size, Size]:
    """Rows and columns of matrices with diagonals of a given length."""
    given = [c.constant(index) for index in (2, 3)]
    rows, columns = (None if value is None else int(value) for value in given)
    if length is None:
        return (rows if rows != -1 else None), (columns if columns != -1 else None)
    least_rows = length - min(high, 0)
    least_columns = length + max(low, 0)
    if rows == -1 and columns == -1:
        side = max(least_rows, least_columns)
        return side, side
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows is not None and rows < least_rows:
        raise ValueError("num_rows is too small")
    if columns is not None and columns < least_columns:
        raise ValueError("num_cols is too small.")
    if None not in (rows, columns) and rows != least_rows and columns != least_columns:
        raise ValueError(
            "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and "
            f"the length of the given diagonals.\nnum_rows = {rows} != min_num_rows = "
            f"{least_rows}, num_cols = {columns} != min_num_cols = {least_columns}"
        )
    return rows, columns


def matrix_set_diag_k(c: InferenceContext) -> TensorShape:
    """MatrixSetDiagV2 and V3: the matrix's shape."""
    shape = with_rank_at_least(c.input(0), 2)
    diagonal = with_rank_at_least(c.input(1), 1)
    bounds = _bounds(c, 2)
    if shape.rank is not None:
        if bounds is None:
            with_rank_at_least(diagonal, shape.rank - 1)
            with_rank_at_most(diagonal, shape.rank)
        else:
            diagonal = with_rank(diagonal, shape.rank - (bounds[0] == bounds[1]))
            rows, columns = size_at(shape, -2), size_at(shape, -1)
            if rows is not None and columns is not None:
                _check_bounds(rows, columns, *bounds)
    if bounds is None:
        return shape
    return _with_batch_of(shape, diagonal, 1 if bounds[0] == bounds[1] else 2)
