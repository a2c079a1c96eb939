"""Norms of vectors and matrices, made of reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.power as math_power
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import invert_permutation, transpose
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.svd import svd
from dataflow.values.deprecated_args import renamed

_EUCLIDEAN = ("fro", "euclidean", 2, 2.0)
_MATRIX_NORMS = ["euclidean", "fro", 1, 2, np.inf]
_VECTOR_NORMS = ["euclidean", 1, 2, np.inf]


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors along an axis, of matrices along a pair of axes, or of all elements.

    Args:
      tensor: Float or complex tensor.
      ord: "euclidean", 1, 2, np.inf, or a positive number p for the p-norm; of matrices
        "euclidean" or "fro", 1, 2 or np.inf.
      axis: The axis of the vectors; two axes, of the matrices; None for one vector of all.
      keepdims: Keeps the reduced axes, with size one.
      name: Name of the scope.
      keep_dims: Former name of `keepdims`.

    Raises:
      ValueError: `ord` or `axis` is none of these.
    """
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis, of_matrices = _checked(ord, axis)
    with name_scope(name, "norm", [tensor]):
        values: Any = convert_to_tensor(tensor)
        if ord in _EUCLIDEAN:
            if of_matrices and ord == 2:
                return _largest_singular_value(values, axis, bool(keepdims))
            squares = values * math_complex.conj(values)
            total = reductions.reduce_sum(squares, axis, keepdims=True)
            result: Tensor = math_unary.sqrt(total)
        else:
            result = _of_sizes(math_unary.abs(values), ord, axis, of_matrices)
        return result if keepdims else array_shape.squeeze(result, axis)


def _checked(ord: Any, axis: Any) -> tuple[Any, bool]:
    """The axes as a tuple, or None for all; whether they are those of matrices."""
    if isinstance(axis, (tuple, list)) and len(axis) == 2:
        axis = tuple(axis)
        if not all(isinstance(each, int) for each in axis) or axis[0] == axis[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
        return axis, True
    if not (isinstance(axis, int) or axis is None):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    if ord not in _VECTOR_NORMS and (not np.isreal(ord) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return (None if axis is None else (axis,)), False


def _of_sizes(sizes: Any, ord: Any, axis: Any, of_matrices: bool) -> Tensor:
    """The norm other than the Euclidean one, of the elements' absolute values."""
    first = None if axis is None else axis[0]
    if ord == 1:
        columns = reductions.reduce_sum(sizes, first, keepdims=True)
        return reductions.reduce_max(columns, axis[-1], keepdims=True) if of_matrices else columns
    if ord == np.inf:
        if of_matrices:
            sizes = reductions.reduce_sum(sizes, axis[1], keepdims=True)
        return reductions.reduce_max(sizes, first, keepdims=True)
    powers = reductions.reduce_sum(math_power.pow(sizes, ord), axis, keepdims=True)
    return math_power.pow(powers, 1.0 / ord)


def _largest_singular_value(values: Any, axes: tuple[int, int], keepdims: bool) -> Tensor:
    """The 2-norm of matrices: the axes are moved to the end, and back."""
    count = values.shape.rank
    chosen: Any
    order: Any
    if count is None:
        rank = array_shape.rank(values)
        chosen = single("FloorMod", axes, rank)
        others = apply_op("ListDiff", single("Range", 0, rank, 1), chosen)[0]
        order = array_concat.concat([others, chosen], 0)
    else:
        chosen = [axis % count for axis in axes]
        rest = (axis for axis in range(count) if axis not in chosen)
        order = np.array([*rest, *chosen], np.int32)
    sizes = svd(transpose(values, order), compute_uv=False)
    largest: Any = reductions.reduce_max(math_unary.abs(sizes), -1, keepdims=True)
    kept = transpose(array_shape.expand_dims(largest, -1), invert_permutation(order))
    return kept if keepdims else array_shape.squeeze(kept, axes)
