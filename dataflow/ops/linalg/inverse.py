"""Inverses and determinants of matrices."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.matmul import matmul
from dataflow.schema.opdef import define_op

_TYPES = "T: {half, float32, float64, complex64, complex128}"


def _inverse_gradient(op: Operation, grad: Any) -> Tensor:
    inverse = op.outputs[0]
    if op.attrs["adjoint"]:
        return -matmul(inverse, matmul(grad, inverse, adjoint_a=True))
    return -matmul(inverse, matmul(grad, inverse, adjoint_b=True), adjoint_a=True)


def _per_matrix(numbers: Any) -> Tensor:
    """Numbers that stand for matrices, so that they broadcast against them."""
    sizes = array_concat.concat([array_shape.shape(numbers), [1, 1]], 0)
    return array_shape.reshape(numbers, sizes)


def _determinant_gradient(op: Operation, grad: Any) -> Tensor:
    result: Tensor = _per_matrix(grad * op.outputs[0]) * matrix_inverse(op.inputs[0], adjoint=True)
    return result


def _log_determinant_gradient(op: Operation, _: Any, grad: Any) -> Tensor:
    result: Tensor = _per_matrix(grad) * matrix_inverse(op.inputs[0], adjoint=True)
    return result


define_op(
    "MatrixInverse",
    inputs="input: T",
    outputs="output: T",
    attrs=["adjoint: bool = false", "T: {float64, float32, half, complex64, complex128}"],
    shape=shapes.square_unchanged,
    gradient=_inverse_gradient,
    doc="The inverses of matrices, or of their conjugate transposes.",
)

define_op(
    "MatrixDeterminant",
    inputs="input: T",
    outputs="output: T",
    attrs=[_TYPES],
    shape=shapes.of_each_square,
    gradient=_determinant_gradient,
    doc="The determinants of matrices.",
)

define_op(
    "LogMatrixDeterminant",
    inputs="input: T",
    outputs="sign: T, log_abs_determinant: T",
    attrs=[_TYPES],
    shape=shapes.of_each_square,
    gradient=_log_determinant_gradient,
    doc="Signs of determinants, and the logarithms of their magnitudes.",
)


@dispatched
def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of matrices.

    Args:
      input: Float or complex, shape `[..., n, n]`.
      adjoint: Whether to take those of the conjugate transposes.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: In the step, where a matrix is not invertible.
    """
    return single("MatrixInverse", input, adjoint=adjoint, name=name)


@dispatched
def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinants of matrices of shape `[..., n, n]`: shape `[...]`."""
    return single("MatrixDeterminant", input, name=name)


def slogdet(input: Any, name: str | None = None) -> Any:
    """The named tuple of signs and `log(abs(det))` of matrices of shape `[..., n, n]`."""
    return apply_op("LogMatrixDeterminant", input, name=name)
