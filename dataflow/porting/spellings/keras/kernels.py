"""tensorflow.python.keras.utils.kernelized_utils: kernels of pairs of rows, as they are."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops


def _to_matrix(values: Any) -> Any:
    rank = values.shape.rank
    if rank not in (1, 2):
        raise ValueError(f"The input tensor should have rank 1 or 2. Given rank: {rank}")
    return ops.expand_dims(values, 0) if rank == 1 else values


def _align_matrices(x: Any, y: Any) -> tuple[Any, Any]:
    """Both with an axis for the rows of each, over which they are repeated."""
    x, y = _to_matrix(x), _to_matrix(y)
    if y.shape[1] != x.shape[1]:
        raise ValueError(
            "The outermost dimensions of the input tensors should match. Given: "
            f"{y.shape[1]} vs {x.shape[1]}."
        )
    rows, others = ops.expand_dims(x, 1), ops.expand_dims(y, 0)
    return ops.tile(rows, [1, y.shape[0], 1]), ops.tile(others, [x.shape[0], 1, 1])


def _differences(x: Any, y: Any) -> Any:
    """Of each row of the one and each of the other."""
    rows, others = _align_matrices(x, y)
    return rows - others


def inner_product(u: Any, v: Any) -> Any:
    """The products of pairs of rows."""
    return ops.matmul(_to_matrix(u), _to_matrix(v), transpose_b=True)


def exact_gaussian_kernel(x: Any, y: Any, stddev: Any) -> Any:
    """`exp(-|x - y|^2 / (2 stddev^2))` of pairs of rows, a matrix.

    Args:
      x: A row, or some.
      y: The same, of the same size.
      stddev: Width of the kernel.

    Raises:
      ValueError: The sizes of the rows differ.
    """
    squares = ops.reduce_sum(ops.square(_differences(x, y)), 2)
    return ops.exp(-squares / (2 * stddev * stddev))


def exact_laplacian_kernel(x: Any, y: Any, stddev: Any) -> Any:
    """`exp(-|x - y|_1 / stddev)` of pairs of rows, a matrix; see `exact_gaussian_kernel`."""
    return ops.exp(-ops.reduce_sum(ops.abs(_differences(x, y)), 2) / stddev)
