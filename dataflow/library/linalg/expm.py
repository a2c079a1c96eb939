"""The exponentials of matrices: Higham, The scaling and squaring method revisited (2005)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.rounding import floor
from dataflow.values import dtypes

_SINGLE: Final = ((3, 4.258730016922831e-1), (5, 1.880152677804762), (7, 3.925724783138660))
_DOUBLE: Final = (
    (3, 1.495585217958292e-2),
    (5, 2.539398330063230e-1),
    (7, 9.504178996162932e-1),
    (9, 2.097847961257068),
    (13, 5.371920351148152),
)
"""Degrees of the approximants, and the largest norms for which they are exact to the last bit."""


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponentials of matrices, sum(matrix^k / k!).

    They are diagonal Pade approximants of matrices divided by a power of 2, squared as often.

    Args:
      input: Float or complex, shape `[..., n, n]`.
      name: Name of the scope of the operations.
    """
    with name_scope(name, "matrix_exponential", [input]):
        matrix: Any = convert_to_tensor(input, name="input")
        if not (matrix.dtype.is_floating or matrix.dtype.is_complex):
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
        if matrix.shape.rank is not None and matrix.shape.rank < 2:
            raise ValueError(
                f"Subshape start out of bounds: -2, for shape with rank {matrix.shape.rank}"
            )
        if matrix.shape[-2:].rank is not None and 0 in matrix.shape.as_list()[-2:]:
            return array_shape.reshape(matrix, array_shape.shape(matrix))
        sizes: Any = array_shape.shape(matrix)
        flat: Any = array_shape.reshape(matrix, concat(([-1], sizes[-2:]), axis=0))
        norm = reductions.reduce_max(reductions.reduce_sum(math_unary.abs(flat), axis=-2), axis=-1)[
            ..., None, None
        ]
        wide = matrix.dtype in (dtypes.float64, dtypes.complex128)
        steps = _DOUBLE if wide else _SINGLE
        found = _squared(flat, norm, steps, matrix.dtype)
        result = array_shape.reshape(found, sizes)
        result.set_shape(matrix.shape)
        return result


def _squared(matrix: Any, norm: Any, steps: Any, dtype: Any) -> Tensor:
    limit = steps[-1][1]
    times: Any = maximum(floor(math_unary.log(norm / limit) / math.log(2)) + 1.0, 0.0)
    scale: Any = math_unary.exp(times * -math.log(2))
    scale = cast(where_v2(times > 0, scale, np.array(1, norm.dtype.as_numpy_dtype)), dtype)
    sizes: Any = array_shape.shape(matrix)
    unit = eye(sizes[-1], batch_shape=sizes[:-2], dtype=dtype)
    small = _pade(matrix * scale, unit, steps[-1][0])
    for degree, bound in reversed(steps[:-1]):
        small = where_v2(norm < bound, _pade(matrix, unit, degree), small)
    last: Any = reductions.reduce_max(times)

    def square(count: Any, power: Any) -> Any:
        return count + 1.0, where_v2(count < times, matmul(power, power), power)

    _, found = while_loop(lambda count, _: count < last, square, [cast(0, norm.dtype), small])
    result: Tensor = found
    return result


def _pade(matrix: Any, unit: Any, degree: int) -> Tensor:
    """The approximant of this degree: its odd and its even powers share their products."""
    weights = [_weight(degree, power) for power in range(degree + 1)]
    square: Any = matmul(matrix, matrix)
    powers: list[Any] = [unit, square]
    while 2 * len(powers) <= degree:
        powers.append(matmul(powers[-1], square))
    odd: Any = sum(weights[2 * i + 1] * power for i, power in enumerate(powers))
    even: Any = sum(weights[2 * i] * power for i, power in enumerate(powers))
    odd = matmul(matrix, odd)
    return matrix_solve(even - odd, even + odd)


def _weight(degree: int, power: int) -> float:
    """The coefficient of a power in the numerator, where that of the highest is 1."""
    rest = degree - power
    return float(math.factorial(degree + rest) // (math.factorial(power) * math.factorial(rest)))
