"""Functions beside the distributions: matrices of vectors, sums of exponentials, softplus."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.fill import ones_like, zeros
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.linalg.diag import (
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.math.compare import logical_or
from dataflow.ops.math.rounding import is_finite, sign
from dataflow.ops.reductions.reduce import reduce_max, reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Triangular matrices of vectors, whose elements fill them in a clockwise spiral.

    Args:
      x: Vectors, `[..., n (n + 1) / 2]`.
      upper: Whether the matrices are upper triangular.
      name: Name of the scope of the operations.

    Returns:
      Matrices, `[..., n, n]`.

    Raises:
      ValueError: The vectors' length is not that of a triangle.
    """
    with name_scope(name, "fill_triangular", values=[x]):
        x = convert_to_tensor(x, name="x")
        length = x.shape.with_rank_at_least(1)[-1].value
        size: Any
        if length is None:
            count: Any = cast(array_shape.shape(x)[-1], dtypes.float32)
            size = cast(math_unary.sqrt(0.25 + 2.0 * count), dtypes.int32)
        else:
            exact = math.sqrt(0.25 + 2.0 * length) - 0.5
            size = int(exact)
            if size != exact:
                raise ValueError(
                    f"Input right-most shape ({length}) does not correspond to a triangular matrix."
                )
        tail = x[..., size:]
        parts = [x, reverse(tail, [-1])] if upper else [tail, reverse(x, [-1])]
        outer: Any = array_shape.shape(x)
        shape = array_concat.concat([outer[:-1], [size, size]], 0)
        square = array_shape.reshape(array_concat.concat(parts, -1), shape)
        square.set_shape(x.shape[:-1].concatenate([None if length is None else size] * 2))
        return matrix_band_part(square, *((0, -1) if upper else (-1, 0)))


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The vectors that `fill_triangular` makes the matrices of.

    Args:
      x: Matrices, `[..., n, n]`.
      upper: Whether they are upper triangular.
      name: Name of the scope of the operations.

    Returns:
      Vectors, `[..., n (n + 1) / 2]`.
    """
    with name_scope(name, "fill_triangular_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        known = x.shape.with_rank_at_least(2)[-1].value
        outer: Any = array_shape.shape(x)
        size: Any = outer[-1] if known is None else known
        count = size * (size + 1) // 2
        first, rest = (x[..., 0, :], x[..., 1:, :])
        if not upper:
            first, rest = reverse(x[..., -1, :], [-1]), x[..., :-1, :]
        # What is not of the triangle is 0: the other half lies there when it is turned round.
        both: Any = rest + reverse(rest, [-1, -2])
        shape = array_concat.concat([outer[:-2], [size * (size - 1)]], 0)
        row: Any = array_shape.reshape(both, shape)
        found: Any = array_concat.concat([first, row[..., : count - size]], -1)
        found.set_shape(x.shape[:-2].concatenate([None if known is None else count]))
        return found


def matrix_diag_transform(
    matrix: Any, transform: Callable[[Any], Any] | None = None, name: str | None = None
) -> Any:
    """Matrices whose diagonals a function has been called with, if there is one."""
    with name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return matrix_set_diag(matrix, transform(matrix_diag_part(matrix)))


def tridiag(below: Any = None, diag: Any = None, above: Any = None, name: str | None = None) -> Any:
    """Matrices of their diagonal, the one below and the one above; what is None is 0.

    Raises:
      ValueError: All are None.
    """
    with name_scope(name, "tridiag", [below, diag, above]):
        parts: list[Any] = []
        if below is not None:
            lower: Any = matrix_diag(_padded(convert_to_tensor(below, name="below")))
            parts.append(lower[..., :-1, 1:])
        if diag is not None:
            parts.append(matrix_diag(convert_to_tensor(diag, name="diag")))
        if above is not None:
            higher: Any = matrix_diag(_padded(convert_to_tensor(above, name="above")))
            parts.append(higher[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
        return sum(parts[1:], parts[0])


def _padded(x: Any) -> Any:
    """Vectors between zeros."""
    sizes: Any = array_shape.shape(x)
    zero = zeros(array_concat.concat([sizes[:-1], [1]], 0), dtype=x.dtype)
    return array_concat.concat([zero, x, zero], -1)


def reduce_weighted_logsumexp(
    logx: Any,
    w: Any = None,
    axis: Any = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> Any:
    """`log(abs(sum(w exp(logx))))` without overflow.

    Args:
      logx: The exponents.
      w: Weights, which may be negative, or None: 1.
      axis: Which axes are summed, or None: all.
      keep_dims: Whether they stay, of size 1.
      return_sign: Whether the sign of the sum is returned as well.
      name: Name of the scope of the operations.
    """
    with name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        if w is None:
            plain = reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (plain, ones_like(plain)) if return_sign else plain
        w = convert_to_tensor(w, dtype=logx.dtype, name="w")
        each: Any = logx + math_unary.log(math_unary.abs(w))
        top: Any = stop_gradient(reduce_max(each, axis, keepdims=True))
        top = where_v2(is_finite(top), top, 0.0 * ones_like(top))
        total = reduce_sum(sign(w) * math_unary.exp(each - top), axis, keepdims=keep_dims)
        shift: Any = top if keep_dims else reduce_sum(top, axis)
        found: Any = shift + math_unary.log(math_unary.abs(total))
        return (found, sign(total)) if return_sign else found


def softplus_inverse(x: Any, name: str | None = None) -> Any:
    """What softplus makes `x` of: log(exp(x) - 1), without overflow and loss of digits."""
    with name_scope(name, "softplus_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        bound = math.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small: Any = x < math.exp(bound)
        large: Any = x > -bound
        # The branch that is not taken must have finite gradients.
        safe: Any = where_v2(logical_or(small, large), ones_like(x), x)
        middle: Any = safe + math_unary.log(-math_unary.expm1(-safe))
        return where_v2(small, math_unary.log(x), where_v2(large, x, middle))
