"""What singular values tell of matrices: rank, and the inverse in the sense of least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank_at_least
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.svd import svd
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def checked_matrix(a: Any, validate_args: bool) -> Tensor:
    """The matrix, looked at while building where that is possible, else in the step if asked for.

    Raises:
      TypeError: It is not of a floating type.
      ValueError: It is known to have less than two dimensions.
    """
    tensor: Tensor = convert_to_tensor(a, name="a")
    if not tensor.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {tensor.dtype.name}).")
    rank = tensor.shape.rank
    if rank is not None:
        if rank < 2:
            raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {rank}).")
    elif validate_args:
        check = assert_rank_at_least(
            tensor, rank=2, message="Input `a` must have at least 2 dimensions."
        )
        tensor = with_dependencies([check], tensor)
    return tensor


def _larger_side(a: Tensor) -> Any:
    dims = a.shape.dims_tuple
    if dims is not None and None not in dims[-2:]:
        return max(size or 0 for size in dims[-2:])
    sizes: Any = array_shape.shape(a)
    return reductions.reduce_max(sizes[-2:])


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values of each matrix are above a bound.

    Args:
      a: Of a floating type, shape `[..., m, n]`.
      tol: The bound; by default max(m, n) * eps * the largest singular value.
      validate_args: Whether to check in the step what building cannot know.
      name: Name of the scope of the operations.

    Returns:
      int32, shape `[...]`.
    """
    with name_scope(name or "matrix_rank"):
        a = checked_matrix(convert_to_tensor(a, name="a", dtype_hint=dtypes.float32), validate_args)
        values: Any = svd(a, compute_uv=False)
        if tol is None:
            eps = np.finfo(a.dtype.as_numpy_dtype).eps
            side = cast(_larger_side(a), a.dtype)
            tol = (eps * side) * reductions.reduce_max(values, axis=-1, keepdims=True)
        return reductions.reduce_sum(cast(values > tol, dtypes.int32), axis=-1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose inverses of matrices.

    Args:
      a: Of a floating type, shape `[..., m, n]`.
      rcond: Singular values below `rcond` times the largest one count as zero; by default
        10 * max(m, n) * eps.
      validate_args: Whether to check in the step what building cannot know.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., n, m]`.
    """
    with name_scope(name or "pinv"):
        a = checked_matrix(a, validate_args)
        dtype = a.dtype.as_numpy_dtype
        if rcond is None:
            side: Any = _larger_side(a)
            side = cast(side, a.dtype) if isinstance(side, Tensor) else float(side)
            rcond = 10.0 * side * np.finfo(dtype).eps
        rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
        values: Any
        values, left, right = svd(a, full_matrices=False, compute_uv=True)
        cutoff: Any = rcond * reductions.reduce_max(values, axis=-1)
        values = where_v2(
            values > array_shape.expand_dims(cutoff, -1), values, np.array(np.inf, dtype)
        )
        inverse = matmul(right / array_shape.expand_dims(values, -2), left, adjoint_b=True)
        dims = a.shape.dims_tuple
        if dims is not None:
            inverse.set_shape(TensorShape.of((*dims[:-2], dims[-1], dims[-2])))
        return inverse
