"""Tridiagonal matrices: systems and products."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.linalg.square_shapes as shapes
import dataflow.ops.math.complex as math_complex
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.shape_parts import size_at, subshape, with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge, merge_dim, with_rank_at_least
from dataflow.values.shapes import TensorShape

_TYPES = "T: {float64, float32, complex64, complex128}"


def _solve_shape(c: InferenceContext) -> TensorShape:
    diagonals, rhs = (with_rank_at_least(c.input(i), 2) for i in range(2))
    merge(subshape(diagonals, 0, -2), subshape(rhs, 0, -2))
    with_size(size_at(diagonals, -2), 3)
    merge_dim(size_at(diagonals, -1), size_at(rhs, -2))
    return c.input(1)


def _product_shape(c: InferenceContext) -> TensorShape:
    diagonals = [with_rank_at_least(c.input(i), 2) for i in range(3)]
    rhs = with_rank_at_least(c.input(3), 2)
    batch, size = subshape(rhs, 0, -2), size_at(rhs, -2)
    for diagonal in diagonals:
        batch = merge(batch, subshape(diagonal, 0, -2))
        size = merge_dim(size, size_at(diagonal, -1))
    for diagonal in diagonals:
        with_size(size_at(diagonal, -2), 1)
    return shapes.batch_and(batch, size, size_at(rhs, -1))


def _up(x: Any) -> Tensor:
    """Rows moved up by one, with zeros in the last."""
    return array_concat.concat([x[..., 1:, :], array_fill.zeros_like(x[..., :1, :])], -2)


def _down(x: Any) -> Tensor:
    """Rows moved down by one, with zeros in the first."""
    return array_concat.concat([array_fill.zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)


def _solve_gradient(op: Operation, grad: Any) -> Any:
    """Nothing is conjugated, as in TensorFlow."""
    diagonals: Any = op.inputs[0]
    x = op.outputs[0]
    upper, main, lower = (diagonals[..., i : i + 1, :] for i in range(3))
    transpose = array_concat.concat(
        [
            array_concat.concat([lower[..., 1:], lower[..., :1]], -1),
            main,
            array_concat.concat([upper[..., -1:], upper[..., :-1]], -1),
        ],
        -2,
    )
    grad_rhs: Any = single(
        "TridiagonalSolve",
        transpose,
        grad,
        partial_pivoting=op.attrs["partial_pivoting"],
        perturb_singular=op.attrs["perturb_singular"],
    )
    slopes = [-reductions.reduce_sum(grad_rhs * y, -1) for y in (_up(x), x, _down(x))]
    return array_concat.stack(slopes, -2), grad_rhs


def _product_gradient(op: Operation, grad: Any) -> Any:
    upper, main, lower, rhs = (math_complex.conj(x) for x in op.inputs)
    slopes = [
        array_concat.stack([reductions.reduce_sum(y * grad, -1)], -2)
        for y in (_up(rhs), rhs, _down(rhs))
    ]
    columns: Any = [matrix_transpose(x) for x in (upper, main, lower)]
    grad_rhs = _down(columns[0] * grad) + columns[1] * grad + _up(columns[2] * grad)
    return (*slopes, grad_rhs)


define_op(
    "TridiagonalSolve",
    inputs="diagonals: T, rhs: T",
    outputs="output: T",
    attrs=["partial_pivoting: bool = true", "perturb_singular: bool = false", _TYPES],
    shape=_solve_shape,
    gradient=_solve_gradient,
    doc="Solutions of systems of linear equations with tridiagonal matrices.",
)

define_op(
    "TridiagonalMatMul",
    inputs="superdiag: T, maindiag: T, subdiag: T, rhs: T",
    outputs="output: T",
    attrs=[_TYPES],
    shape=_product_shape,
    gradient=_product_gradient,
    doc="Products of tridiagonal matrices with others.",
)
