"""Functions of whole matrices: square root, logarithm, exponential."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.schema.opdef import MISSING_GRADIENT, define_op

_TYPES = "T: {float64, float32, half, complex64, complex128}"


def _square_root_gradient(op: Operation, grad: Any) -> Tensor:
    """The solution X of R^T X + X R^T = grad, of which each element is an unknown. Nothing is
    conjugated, as in TensorFlow."""
    root = matrix_transpose(op.outputs[0])
    sizes: Any = array_shape.shape(root)
    batch, size = sizes[:-2], sizes[-1]
    unit = eye(size, dtype=root.dtype)
    spread = array_concat.concat([batch, [size, 1, size, 1]], 0)
    left: Any = array_shape.reshape(root, spread) * array_shape.reshape(unit, [1, size, 1, size])
    spread = array_concat.concat([batch, [1, size, 1, size]], 0)
    turned = array_shape.reshape(matrix_transpose(root), spread)
    right: Any = array_shape.reshape(unit, [size, 1, size, 1]) * turned
    count = size * size
    system = array_shape.reshape(left + right, array_concat.concat([batch, [count, count]], 0))
    known = array_shape.reshape(grad, array_concat.concat([batch, [count, 1]], 0))
    return array_shape.reshape(matrix_solve(system, known), sizes)


define_op(
    "MatrixSquareRoot",
    inputs="input: T",
    outputs="output: T",
    attrs=[_TYPES],
    shape=shapes.square_unchanged,
    gradient=_square_root_gradient,
    doc="The matrices whose squares are the input's.",
)

define_op(
    "MatrixLogarithm",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: {complex64, complex128}"],
    shape=shapes.square_unchanged,
    gradient=MISSING_GRADIENT,
    doc="The matrices whose exponentials are the input's.",
)

define_op(
    "MatrixExponential",
    inputs="input: T",
    outputs="output: T",
    attrs=[_TYPES],
    shape=shapes.square_unchanged,
    gradient=MISSING_GRADIENT,
    doc="The exponentials of matrices; `tf.linalg.expm` is made of other ops.",
)


def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """The principal square roots of matrices: matmul(root, root) is the input.

    Args:
      input: Float or complex, shape `[..., n, n]`; real matrices have no negative eigenvalues.
      name: Name of the operation.
    """
    return single("MatrixSquareRoot", input, name=name)


def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithms of complex matrices of shape `[..., n, n]`."""
    return single("MatrixLogarithm", input, name=name)
