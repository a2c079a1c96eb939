"""BandedTriangularSolve: systems with triangular matrices of which some diagonals are stored."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import size_at, subshape
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.diag import matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast_shapes, merge_dim, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _banded_shape(c: InferenceContext) -> TensorShape:
    bands, rhs = (with_rank_at_least(c.input(i), 2) for i in range(2))
    count, size = size_at(bands, -2), size_at(bands, -1)
    if count is not None and count <= 0:
        raise ValueError(f"Number of bands must be positive, but is {count}")
    if count is not None and size is not None and count > size:
        raise ValueError(f"Number of bands {count} cannot exceed the size of the matrix {size}")
    batch = broadcast_shapes(subshape(bands, 0, -2), subshape(rhs, 0, -2))
    return shapes.batch_and(batch, merge_dim(size, size_at(rhs, -2)), size_at(rhs, -1))


def _banded_gradient(op: Operation, grad: Any) -> Any:
    bands, rhs = op.inputs
    lower, adjoint = op.attrs["lower"], op.attrs["adjoint"]
    sizes: Any = array_shape.shape(bands)
    grad_rhs = single("BandedTriangularSolve", bands, grad, lower=lower, adjoint=not adjoint)
    sides = (op.outputs[0], grad_rhs) if adjoint else (grad_rhs, op.outputs[0])
    slope = -matmul(*sides, adjoint_b=True)
    count = sizes[-2]
    if lower:
        grad_bands = matrix_diag_part(slope, k=(1 - count, 0), align="LEFT_RIGHT")
    else:
        grad_bands = matrix_diag_part(slope, k=(0, count - 1), align="LEFT_RIGHT")
    rhs_sizes: Any = array_shape.shape(rhs)
    axes = apply_op("BroadcastGradientArgs", sizes[:-2], rhs_sizes[:-2])
    return (
        array_shape.reshape(reductions.reduce_sum(grad_bands, axes[0]), sizes),
        array_shape.reshape(reductions.reduce_sum(grad_rhs, axes[1]), rhs_sizes),
    )


define_op(
    "BandedTriangularSolve",
    inputs="matrix: T, rhs: T",
    outputs="output: T",
    attrs=[
        "lower: bool = true",
        "adjoint: bool = false",
        "T: {float64, float32, half, complex64, complex128}",
    ],
    shape=_banded_shape,
    gradient=_banded_gradient,
    doc="Solutions of systems with triangular matrices of which the diagonals are given.",
)
