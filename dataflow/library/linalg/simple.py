"""Adjoints, logarithms of determinants, and tensors divided by their norm."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import matrix_diag_part
from dataflow.ops.linalg.norm import norm


@dispatched
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transposes of matrices of shape `[..., m, n]`: `[..., n, m]`."""
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


@dispatched
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of positive definite matrices, `[..., n, n]`.

    They are twice the sum of the logarithms of the Cholesky factor's diagonal: NaN where a matrix
    is not positive definite.
    """
    with name_scope(name, "logdet", [matrix]):
        diagonal = math_complex.real(matrix_diag_part(cholesky(matrix)))
        result: Tensor = 2.0 * reductions.reduce_sum(math_unary.log(diagonal), axis=[-1])
        return result


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A tensor divided by its norm.

    Args:
      tensor: Float or complex.
      ord: Which norm; see `tf.norm`.
      axis: The axis of the vectors, the two axes of the matrices; None for one vector of all.
      name: Name of the scope of the operations.

    Returns:
      The tensor of norm 1, and the norms, whose reduced axes have size one.
    """
    with name_scope(name, "normalize", [tensor]):
        values: Any = convert_to_tensor(tensor)
        length = cast(norm(values, ord, axis=axis, keepdims=True), values.dtype)
        return values / length, length
