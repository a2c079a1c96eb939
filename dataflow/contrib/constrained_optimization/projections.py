"""Weights that are allowed, and the distribution that a matrix of them keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.while_loop import while_loop
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.norm import norm
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import logical_and, not_equal
from dataflow.ops.math.unary import exp, log
from dataflow.ops.reductions.reduce import reduce_any, reduce_max, reduce_sum


def onto_ball(multipliers: Any, radius: Any) -> Any:
    """The nearest numbers that are not negative and whose sum is at most `radius`.

    Raises:
      ValueError: They are no vector of floats whose size is known.
    """
    _check_floats(multipliers)
    if multipliers.shape.ndims is None:
        raise ValueError("multipliers must have known shape")
    if multipliers.shape.ndims != 1:
        raise ValueError(
            "multipliers must be one dimensional (instead is "
            f"{multipliers.shape.ndims}-dimensional)"
        )
    if multipliers.shape[0].value is None:
        raise ValueError("multipliers must have fully-known shape")

    def away(values: Any, free: Any) -> Any:
        return minimum(0.0, (radius - reduce_sum(values)) / maximum(1.0, reduce_sum(free)))

    return _projected(multipliers, away)


def onto_distributions(matrix: Any) -> Any:
    """The nearest matrix whose columns are distributions.

    Raises:
      ValueError: It is no square matrix of floats whose size is known.
    """
    _check_floats(matrix)
    if matrix.shape.ndims is None:
        raise ValueError("matrix must have known shape")
    if matrix.shape.ndims != 2:
        raise ValueError(
            f"matrix must be two dimensional (instead is {matrix.shape.ndims}-dimensional)"
        )
    rows, columns = matrix.shape.as_list()
    if rows != columns:
        raise ValueError(f"matrix must be square (instead has shape ({rows},{columns}))")
    if rows is None:
        raise ValueError("matrix must have fully-known shape")

    def away(values: Any, free: Any) -> Any:
        missing = 1.0 - reduce_sum(values, axis=0, keepdims=True)
        return missing / maximum(1.0, reduce_sum(free, axis=0, keepdims=True))

    return _projected(matrix, away)


def onto_log_distributions(log_matrix: Any) -> Any:
    """The matrix whose columns are logarithms of the nearest distributions, by divergence."""
    log_matrix -= reduce_max(log_matrix, axis=0, keepdims=True)
    return log_matrix - log(reduce_sum(exp(log_matrix), axis=0, keepdims=True))


def maximal_eigenvector(matrix: Any, epsilon: float = 1e-6, maximum_iterations: int = 100) -> Any:
    """The eigenvector of the largest eigenvalue, with length 1, by the power method.

    Raises:
      ValueError: The matrix has no floats, or a number is not positive.
    """
    _check_floats(matrix)
    if epsilon <= 0.0:
        raise ValueError("epsilon must be strictly positive")
    if maximum_iterations <= 0:
        raise ValueError("maximum_iterations must be strictly positive")

    def goes_on(turn: Any, vector: Any, before: Any) -> Any:
        return logical_and(turn < maximum_iterations, norm(vector - before) > epsilon)

    def step(turn: Any, vector: Any, before: Any) -> Any:
        found = matmul(matrix, expand_dims(vector, 1))[:, 0]
        return turn + 1, found / norm(found), vector

    first = ones_like(matrix[:, 0])
    first /= norm(first)
    begin = step(constant(0), first, first)
    _, vector, _ = while_loop(goes_on, step, begin, name="power_method")
    return vector


def _projected(values: Any, away: Callable[[Any, Any], Any]) -> Any:
    """Moves all that is not zero by the same, until what became negative stays zero."""
    size = values.shape[0].value

    def goes_on(turn: Any, values: Any, free: Any, before: Any) -> Any:
        return logical_and(turn < size, reduce_any(not_equal(free, before)))

    def step(turn: Any, values: Any, free: Any, before: Any) -> Any:
        values = values + away(values, free) * free
        left = cast(values > 0, values.dtype)
        return turn + 1, values * left, left, free

    free = ones_like(values, dtype=values.dtype)
    begin = step(constant(0), values, free, free)
    return while_loop(goes_on, step, begin, name="euclidean_projection")[1]


def _check_floats(values: Any) -> None:
    if not values.dtype.is_floating:
        raise ValueError("multipliers must have a floating-point dtype")
