"""The LU decomposition with partial pivoting."""

from __future__ import annotations

from typing import Any

import dataflow.ops.linalg.square_shapes as shapes
from dataflow.graph.apply_op import apply_op
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _lu_shape(c: InferenceContext) -> list[TensorShape]:
    batch, size = shapes.square(c.input(0))
    return [shapes.batch_and(batch, size, size), shapes.batch_and(batch, size)]


define_op(
    "Lu",
    inputs="input: T",
    outputs="lu: T, p: output_idx_type",
    attrs=[
        "T: {float64, float32, half, complex64, complex128}",
        "output_idx_type: {int32, int64} = int32",
    ],
    shape=_lu_shape,
    gradient=MISSING_GRADIENT,
    doc="Matrices, their rows in another order, as products of triangular ones.",
)


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The LU decomposition: the rows of the input, in the order `p`, are L U.

    Args:
      input: Float or complex, shape `[..., n, n]`.
      output_idx_type: Type of the row numbers, int32 or int64.
      name: Name of the operation.

    Returns:
      The named tuple (lu, p): U in the upper triangle of `lu`, L below it, its unit diagonal left
      out, and the row numbers, `[..., n]`.

    Raises:
      InvalidArgumentError: In the step, where a matrix is not invertible.
    """
    return apply_op("Lu", input, output_idx_type=output_idx_type, name=name)
