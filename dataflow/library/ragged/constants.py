"""Ragged tensors of Python lists, and placeholders for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph import scopes
from dataflow.library.ragged.row_partition import RowPartition
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.ops.basic.constant import constant as dense_constant
from dataflow.ops.basic.placeholder import placeholder as dense_placeholder
from dataflow.values import dtypes


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """The ragged tensor of nested lists.

    Args:
      pylist: Nested lists, tuples or arrays, whose elements all stand equally deep.
      dtype: Element type; by default that of the elements.
      ragged_rank: How many dimensions are cut into rows; by default all but the last one, or
        those that `inner_shape` leaves.
      inner_shape: The shape of the values in rows.
      name: Prefix of the operations' names.
      row_splits_dtype: int32 or int64.

    Returns:
      A ragged tensor; a tensor if `ragged_rank` is 0 or the list is an element.

    Raises:
      ValueError: Elements stand differently deep, or the arguments do not fit.
    """
    kind = dtypes.as_dtype(row_splits_dtype)

    def cut(values: Any, splits: list[int]) -> Any:
        partition = RowPartition.from_row_splits(dense_constant(splits, kind), validate=False)
        return RaggedTensor._from_row_partition(values, partition, validate=False)

    def inner(values: Any, dtype: Any, shape: Any, name: str = "Const") -> Any:
        _check_size(values, shape)
        return dense_constant(values, dtype, shape, name)

    with scopes.name_scope(name, "RaggedConstant"):
        return _made(cut, inner, pylist, dtype, ragged_rank, inner_shape)


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """The `RaggedTensorValue` of nested lists; see `constant`."""
    if dtype is not None and isinstance(dtype, dtypes.DType):
        dtype = dtype.as_numpy_dtype
    kind = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def cut(values: Any, splits: list[int]) -> RaggedTensorValue:
        return RaggedTensorValue(values, np.array(splits, kind))

    def inner(values: Any, dtype: Any, shape: Any, name: Any = None) -> Any:
        made = np.array(values, dtype=dtype if dtype is object else None)
        if dtype is not None:
            made = made.astype(dtype)
        return made if shape is None else made.reshape(shape)

    return _made(cut, inner, pylist, dtype, ragged_rank, inner_shape)


def _made(
    cut: Callable[..., Any],
    inner: Callable[..., Any],
    pylist: Any,
    dtype: Any,
    ragged_rank: int | None,
    inner_shape: Any,
) -> Any:
    if isinstance(pylist, np.ndarray):
        pylist = pylist.tolist()
    if not isinstance(pylist, (list, tuple)):
        if ragged_rank is not None and ragged_rank != 0:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}"
            )
        if inner_shape is not None and tuple(inner_shape):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
            )
        return inner(pylist, dtype, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    scalars, deepest = _depths(pylist)
    if scalars is not None and deepest > scalars:
        raise ValueError(
            f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting"
        )
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + 1 + len(inner_shape)
        if (scalars is not None and scalars != expected) or (
            scalars is None and deepest > expected
        ):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )
    sized = inner_shape is not None
    if ragged_rank == 0 or (
        ragged_rank is None and (deepest < 2 or (sized and deepest - len(inner_shape) < 2))
    ):
        return inner(pylist, dtype, inner_shape)
    if ragged_rank is None:
        whole = scalars if scalars is not None else deepest
        ragged_rank = max(1, whole - 1 - len(inner_shape or ()))
    if scalars is not None and ragged_rank >= scalars:
        raise ValueError(
            f"pylist has scalar values depth {scalars}, but ragged_rank={ragged_rank} requires "
            f"scalar value depth greater than {ragged_rank}"
        )
    if inner_shape is None:
        inner_shape = _inner_shape(pylist, ragged_rank)
    concrete = list(pylist)
    nested: list[list[int]] = []
    for _ in range(ragged_rank):
        splits = [0]
        values: list[Any] = []
        for row in concrete:
            if not isinstance(row, (list, tuple, np.ndarray)):
                raise ValueError(
                    f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}"
                )
            splits.append(splits[-1] + len(row))
            values.extend(row)
        nested.append(splits)
        concrete = values
    # A sum as TensorFlow's: a list of sizes is refused.
    made = inner(concrete, dtype, (len(concrete),) + inner_shape, name="values")  # noqa: RUF005
    for splits in reversed(nested):
        made = cut(made, splits)
    return made


def _check_size(values: Any, shape: Any) -> None:
    """Refuses nested lists that have not as many elements as a shape; one element may fill it."""
    try:
        have: Any = np.shape(values)
    except ValueError:
        return
    if shape is not None and have not in ((), (1,)) and math.prod(have) != math.prod(shape):
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {have}.")


def _depths(item: Any) -> tuple[int | None, int]:
    """How deep elements stand, None if there are none, and how deep the deepest list ends.

    Raises:
      ValueError: Elements stand differently deep.
    """
    if not isinstance(item, (list, tuple, np.ndarray)) and np.ndim(item) == 0:
        return 0, 0
    below = [_depths(child) for child in item]
    depths = {scalar for scalar, _ in below if scalar is not None}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    deepest = 1 + max((depth for _, depth in below), default=0)
    return (depths.pop() + 1 if depths else None), deepest


def _inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """The shape of what stands below the rows; all of it must have it."""
    items = list(pylist)
    for _ in range(ragged_rank):
        items = [value for row in items for value in row]
    shape: list[int] = []
    while items and all(isinstance(value, (list, tuple, np.ndarray)) for value in items):
        lengths = {len(value) for value in items}
        if len(lengths) > 1:
            raise ValueError("inner values have inconsistent shape")
        shape.append(lengths.pop())
        items = [value for row in items for value in row]
    if any(isinstance(value, (list, tuple)) for value in items):
        raise ValueError("inner values have inconsistent shape")
    return tuple(shape)


def placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor whose value is fed.

    Args:
      dtype: Element type.
      ragged_rank: How many dimensions are cut into rows.
      value_shape: The shape of the values in rows.
      name: Prefix of the operations' names.
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with scopes.name_scope(name, "RaggedPlaceholder", []):
        shape = None if value_shape is None else [None, *value_shape]
        made: Any = dense_placeholder(dtype, shape, "flat_values")
        for level in reversed(range(ragged_rank)):
            splits = dense_placeholder(dtypes.int64, [None], f"row_splits_{level}")
            made = RaggedTensor.from_row_splits(made, splits, validate=False)
        return made
