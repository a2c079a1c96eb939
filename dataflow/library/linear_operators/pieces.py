"""What linear operators are made of: broadcast batches, vectors as columns, hints put together."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.broadcast import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.linalg.solve import matrix_solve, matrix_triangular_solve
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def adjoint(matrix: Any) -> Tensor:
    """The conjugate transposes of matrices."""
    return matrix_transpose(matrix, conjugate=True)


def arguments_of(made: Any, args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """What a class is called with, by name, with its defaults; nothing if it does not fit."""
    try:
        bound = inspect.signature(made.__init__).bind(None, *args, **options)
    except TypeError:
        return {}  # `__init__` says so better.
    bound.apply_defaults()
    _, *given = bound.arguments.items()
    return dict(given)


def both(left: bool | None, right: bool | None) -> bool | None:
    """A hint for a product, where what two operators say of themselves is all that is known."""
    return True if left and right else None


def adjoint_if(matrix: Any, asked: bool) -> Any:
    """A matrix, or its conjugate transpose where it is asked for."""
    return adjoint(matrix) if asked else matrix


def as_columns(vectors: Any) -> Tensor:
    """Vectors as matrices of one column."""
    return array_shape.expand_dims(vectors, -1)


def as_vectors(columns: Any) -> Tensor:
    """Matrices of one column as vectors."""
    return array_shape.squeeze(columns, axis=[-1])


def shape_tensor(tensor: Any) -> Tensor:
    """A shape, a constant where the graph knows it."""
    known = tensor.shape
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtype=dtypes.int32)
    return array_shape.shape(tensor)


def common_batch(shapes: Sequence[TensorShape]) -> TensorShape:
    """The batch shape that some broadcast to, as far as the graph knows.

    Raises:
      ValueError: They do not broadcast.
    """
    result = shapes[0]
    for shape in shapes[1:]:
        result = broadcast_static_shape(result, shape)
    return result


def common_batch_tensor(shapes: Sequence[Any]) -> Tensor:
    """The batch shape that some broadcast to, in the step."""
    result: Tensor = shapes[0]
    for shape in shapes[1:]:
        result = broadcast_dynamic_shape(result, shape)
    return result


def same_batch(first: Any, second: Any) -> tuple[Any, Any]:
    """Two batches of matrices, broadcast to one batch shape where they may differ."""
    shapes = (first.shape, second.shape)
    if all(shape.rank is not None for shape in shapes):
        batches = [shape[:-2] for shape in shapes]
        if all(b.is_fully_defined() for b in batches):
            if batches[0].as_list() == batches[1].as_list():
                return first, second
        elif all(shape.rank == 2 for shape in shapes):
            return first, second
    sizes: list[Any] = [shape_tensor(value) for value in (first, second)]
    batch = broadcast_dynamic_shape(sizes[0][:-2], sizes[1][:-2])
    return (
        broadcast_to(first, concat([batch, sizes[0][-2:]], 0)),
        broadcast_to(second, concat([batch, sizes[1][-2:]], 0)),
    )


def solve_dense(matrix: Any, rhs: Any, adjoint: bool = False) -> Tensor:
    """Systems of equations whose batches broadcast."""
    matrix, rhs = same_batch(matrix, rhs)
    return matrix_solve(matrix, rhs, adjoint=adjoint)


def solve_triangular(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Tensor:
    """Triangular systems of equations whose batches broadcast."""
    matrix, rhs = same_batch(matrix, rhs)
    return matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def implied(hint: bool | None, follows: bool, message: str) -> bool | None:
    """A hint, True where that follows from something else.

    Raises:
      ValueError: It follows, and the hint says the contrary.
    """
    if follows and hint is False:
        raise ValueError(message)
    return True if follows else hint


def one_dtype(operators: Sequence[Any]) -> Any:
    """The element type that operators share.

    Raises:
      TypeError: They do not.
    """
    dtype = operators[0].dtype
    if any(operator.dtype != dtype for operator in operators):
        found = "   ".join(str((operator.name, operator.dtype)) for operator in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return dtype
