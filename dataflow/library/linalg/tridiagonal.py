"""Tridiagonal matrices in the forms in which programs hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.pad import pad
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.diag import matrix_diag_part
from dataflow.ops.math.complex import conj


def _sides(tensor: Tensor) -> tuple[int | None, int | None]:
    dims = tensor.shape.dims_tuple
    return (None, None) if dims is None else (dims[-2], dims[-1])


def _differ(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and a != b


def _diagonals_of(matrix: Any) -> Tensor:
    matrix = convert_to_tensor(matrix, name="diagonals")
    rows, columns = _sides(matrix)
    if _differ(rows, columns):
        raise ValueError(
            f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}"
        )
    return matrix_diag_part(matrix, k=(-1, 1), padding_value=0.0, align="LEFT_RIGHT")


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves tridiagonal systems of equations.

    Args:
      diagonals: The matrices A: "compact", one tensor `[..., 3, n]` of the diagonal above the main
        one, whose last element is ignored, the main one, and the one below, whose first element is
        ignored; "sequence", these three, which may also leave out what is ignored; "matrix", the
        matrices themselves.
      rhs: Shape `[..., n]` or `[..., n, k]`.
      diagonals_format: Which of them.
      transpose_rhs: Whether `rhs` is `[..., k, n]`.
      conjugate_rhs: Whether to solve with its complex conjugate.
      name: Name of the operation.
      partial_pivoting: Whether rows may be swapped, which takes longer and is more accurate.
      perturb_singular: Not supported on CPUs, in TensorFlow either.

    Raises:
      ValueError: The form is none of these, or the sizes do not fit.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    options = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    flags = (transpose_rhs, conjugate_rhs, options, name)
    if diagonals_format == "compact":
        compact = convert_to_tensor(diagonals, name="diagonals")
        return _solved(compact, rhs, *flags)
    if diagonals_format == "sequence":
        if not isinstance(diagonals, Sequence) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        upper, main, lower = (convert_to_tensor(each) for each in diagonals)
        size = main.shape.as_list()[-1] if main.shape.rank is not None else None
        upper = _filled(upper, size, "superdiagonal", after=True)
        lower = _filled(lower, size, "subdiagonal", after=False)
        return _solved(array_concat.stack([upper, main, lower], axis=-2), rhs, *flags)
    if diagonals_format == "matrix":
        return _solved(_diagonals_of(diagonals), rhs, *flags)
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


def _filled(diagonal: Tensor, size: int | None, name: str, after: bool) -> Tensor:
    """The diagonal, as long as the main one."""
    length = diagonal.shape.as_list()[-1] if diagonal.shape.rank is not None else None
    if length is None or size is None or length == size:
        return diagonal
    if length != size - 1:
        raise ValueError(f"Expected {name} to be have length {size} or {size - 1}, got {length}.")
    paddings = [[0, 0]] * (len(diagonal.shape.as_list()) - 1)
    return pad(diagonal, [*paddings, [0, 1] if after else [1, 0]])


def _solved(
    diagonals: Any,
    rhs: Any,
    transpose_rhs: bool,
    conjugate_rhs: bool,
    options: dict[str, Any],
    name: str | None,
) -> Tensor:
    rhs = convert_to_tensor(rhs, name="rhs", dtype=diagonals.dtype)
    rows, size = _sides(diagonals)
    if _differ(rows, 3):
        raise ValueError(f"Expected 3 diagonals got {rows}")
    rank, rhs_rank = diagonals.shape.rank, rhs.shape.rank
    is_vector = rank is not None and rhs_rank is not None and rhs_rank == rank - 1
    if rank is not None and rhs_rank is not None and rhs_rank not in (rank, rank - 1):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs_rank}")
    if rhs_rank is not None and rhs_rank:
        own = rhs.shape.as_list()[-1 if is_vector or transpose_rhs else -2]
        if _differ(size, own):
            raise ValueError(
                "Expected number of left-hand sided and right-hand sides to be equal, got "
                f"{size} and {own}"
            )
    if conjugate_rhs:
        rhs = conj(rhs)
    if is_vector:
        column = array_shape.expand_dims(rhs, -1)
        solved = single("TridiagonalSolve", diagonals, column, name=name, **options)
        return array_shape.squeeze(solved, -1)
    if transpose_rhs:
        rhs = matrix_transpose(rhs)
    return single("TridiagonalSolve", diagonals, rhs, name=name, **options)


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Products of tridiagonal matrices, in the forms of `tridiagonal_solve`, with others.

    Args:
      diagonals: The tridiagonal matrices; a diagonal of a sequence is as long as the main one.
      rhs: Shape `[..., n, k]`.
      diagonals_format: "compact", "sequence" or "matrix".
      name: Name of the operation.

    Raises:
      ValueError: The form is none of these, or the sizes do not fit.
    """
    if diagonals_format == "sequence":
        upper, main, lower = diagonals
    elif diagonals_format in ("compact", "matrix"):
        compact: Any = (
            convert_to_tensor(diagonals, name="diagonals")
            if diagonals_format == "compact"
            else _diagonals_of(diagonals)
        )
        rows, _ = _sides(compact)
        if _differ(rows, 3):
            raise ValueError(f"Expected 3 diagonals got {rows}")
        upper, main, lower = (compact[..., i, :] for i in range(3))
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    wide = (array_shape.expand_dims(each, -2) for each in (upper, main, lower))
    return single("TridiagonalMatMul", *wide, rhs, name=name)
