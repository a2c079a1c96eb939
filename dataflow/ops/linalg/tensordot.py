"""Contractions made of matrix products: tensordot, trace, polynomials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
import dataflow.ops.linalg.diag as linalg_diag
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes

_INTEGER = (int, np.integer)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums products over axes of `a` and `b`: the free axes of `a`, then those of `b`, remain.

    Args:
      a: A tensor.
      b: A tensor of the same dtype.
      axes: A number n: the last n axes of `a` meet the first n of `b`. Or two lists of equal
        length: the axes of `a` and the axes of `b` that meet; or an int32 tensor of two rows.
      name: Name of the operations.

    Raises:
      ValueError: `axes` is malformed or the shapes do not fit.
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        first = convert_to_tensor(a, name="a")
        second = convert_to_tensor(b, name="b")
        axes_a, axes_b = _contracted_axes(first, axes)
        matrix_a, free_a, known_a = _as_matrix(first, axes_a, contracted_first=False)
        matrix_b, free_b, known_b = _as_matrix(second, axes_b, contracted_first=True)
        product = linalg_matmul.matmul(matrix_a, matrix_b)
        if isinstance(free_a, list) and isinstance(free_b, list):
            if product.shape.dims_tuple == tuple(free_a + free_b):
                return product
            return array_shape.reshape(product, free_a + free_b, name=scope)
        sizes_a = convert_to_tensor(free_a, dtype=dtypes.int32)
        sizes_b = convert_to_tensor(free_b, dtype=dtypes.int32)
        shape = array_concat.concat([sizes_a, sizes_b], 0)
        result = array_shape.reshape(product, shape, name=scope)
        if known_a is not None and known_b is not None:
            result.set_shape(known_a + known_b)
        return result


def _contracted_axes(a: Tensor, axes: Any) -> tuple[Any, Any]:
    if isinstance(axes, _INTEGER):
        if axes < 0:
            raise ValueError("'axes' must be at least 0.")
        rank = a.shape.rank
        if rank is None:
            dynamic: Any = array_shape.rank(a)
            return (
                range_ops.range(dynamic - axes, dynamic, dtype=dtypes.int32),
                range_ops.range(axes, dtype=dtypes.int32),
            )
        if axes > rank:
            raise ValueError(
                f"'axes' must not be larger than the number of dimensions of tensor {a}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError("'axes' must be an integer or have length 2.")
        axes_a, axes_b = axes
        if isinstance(axes_a, _INTEGER) and isinstance(axes_b, _INTEGER):
            axes_a, axes_b = [axes_a], [axes_b]
        if len(axes_a) != len(axes_b):
            raise ValueError(
                f"Different number of contraction axes 'a' and 'b', {len(axes_a)} != {len(axes_b)}."
            )
        return axes_a, axes_b
    both: Any = convert_to_tensor(axes, name="axes", dtype=dtypes.int32)
    return both[0], both[1]


def _as_matrix(a: Tensor, axes: Any, contracted_first: bool) -> tuple[Tensor, Any, Any]:
    """The tensor as a matrix of free by contracted axes, or the other way round.

    Returns:
      The matrix; the sizes of the free axes, a list if they are all known, else a tensor; and the
      sizes as far as they are known, or None where not even their number is.
    """
    dims = a.shape.dims_tuple
    if dims is not None and None not in dims and isinstance(axes, (list, tuple)):
        return _as_known_matrix(a, [d for d in dims if d is not None], axes, contracted_first)
    static: Any = None
    shape: Any
    if dims is not None and isinstance(axes, (list, tuple)):
        positions = [i + len(dims) if i < 0 else i for i in axes]
        others = [i for i in range(len(dims)) if i not in positions]
        static = [dims[i] for i in others]
        contracted = convert_to_tensor(positions, dtype=dtypes.int32, name="axes")
        free = convert_to_tensor(others, dtype=dtypes.int32, name="free")
        shape = array_shape.shape(a)
    else:
        shape = array_shape.shape(a)
        rank: Any = array_shape.rank(a)
        given: Any = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        contracted = array_select.where(given >= 0, given, given + rank)
        every = range_ops.range(rank)
        free, _ = apply_op("ListDiff", every, contracted, out_idx=dtypes.int32)
    free_sizes = array_gather.gather(shape, free)
    contracted_sizes = array_gather.gather(shape, contracted)
    free_count = reductions.reduce_prod(free_sizes)
    contracted_count = reductions.reduce_prod(contracted_sizes)
    if contracted_first:
        order = array_concat.concat([contracted, free], 0)
        size = array_concat.stack([contracted_count, free_count])
    else:
        order = array_concat.concat([free, contracted], 0)
        size = array_concat.stack([free_count, contracted_count])
    return array_shape.reshape(array_transpose.transpose(a, order), size), free_sizes, static


def _as_known_matrix(
    a: Tensor, dims: list[int], axes: Any, contracted_first: bool
) -> tuple[Tensor, Any, Any]:
    contracted = [i + len(dims) if i < 0 else i for i in axes]
    free = [i for i in range(len(dims)) if i not in contracted]
    free_sizes = [dims[i] for i in free]
    free_count = math.prod(free_sizes)
    contracted_count = math.prod(dims[i] for i in contracted)
    if contracted_first:
        order, size = contracted + free, (contracted_count, free_count)
    else:
        order, size = free + contracted, (free_count, contracted_count)
    if order != list(range(len(dims))):
        a = array_transpose.transpose(a, order)
    if a.shape.dims_tuple != size:
        a = array_shape.reshape(a, list(size))
    return a, free_sizes, free_sizes


@dispatched
def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of each matrix: of shape `[..., m, n]`, the result of `[...]`."""
    with name_scope(name, "Trace", [x]) as scope:
        tensor = convert_to_tensor(x, name="x")
        return reductions.reduce_sum(linalg_diag.matrix_diag_part(tensor), [-1], name=scope)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial at each element, by Horner's rule.

    Args:
      coeffs: List of coefficients, that of the highest power first; each a tensor that broadcasts.
      x: The tensor.
      name: Name of the operations.

    Raises:
      ValueError: `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        point: Any = convert_to_tensor(x, name="x")
        if not coeffs:
            return array_fill.zeros_like(point, name=scope)
        terms: Any = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        value: Any = terms[0]
        for term in terms[1:]:
            value = term + value * point
        result: Tensor = value
        return result
