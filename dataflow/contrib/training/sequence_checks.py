"""What batches of sequences are checked for, when they are made and in steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as shapes
from dataflow.control_flow.assertion import Assert
from dataflow.graph.constant_value import constant_value
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal, logical_and, not_equal
from dataflow.ops.math.division import floormod
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.ops.text.joining import string_join
from dataflow.ops.text.numbers import as_string
from dataflow.values.shapes import TensorShape


def check_names(what: str, names: Any, kind: str = "string") -> None:
    """Raises an error if a name is no text or holds a colon."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be {kind}: {name}")
        if ":" in name:
            raise ValueError(f"{what} may not have a colon: '{name}'")


def is_multiple(size: Any, of: Any, subject: str) -> Any:
    """An operation that fails if a size is 0 or no multiple of another."""
    text = string_join(
        [
            f"{subject} should be a multiple of: ",
            as_string(of),
            ", but saw value: ",
            as_string(size),
            ". Consider setting pad=True.",
        ]
    )
    return Assert(logical_and(equal(floormod(size, of), 0), not_equal(size, 0)), [text])


def with_rank(value: Tensor, rank: int) -> Tensor:
    """The value, whose rank is looked at in steps, too.

    Raises:
      ValueError: The rank is known to be another.
    """
    text = string_join(
        [f"Rank of tensor {value.name} should be: ", as_string(rank), ", shape received:"]
    )
    with control_dependencies(
        [Assert(equal(rank, shapes.rank(value)), [text, shapes.shape(value)])]
    ):
        checked: Tensor = identity(value, name="rank_checked")
    try:
        checked.set_shape(checked.shape.with_rank(rank))
    except ValueError as error:
        raise ValueError(f"Rank check failed for {value.name}: {error}") from error
    return checked


def with_shape(value: Tensor, like: Tensor) -> Tensor:
    """The value, whose shape must be that of another tensor.

    Raises:
      ValueError: The shapes are known to differ.
    """
    rank = like.shape.rank
    value = value if rank is None else with_rank(value, rank)
    expected = shapes.shape(like)
    known = constant_value(expected)
    text = string_join(
        [
            f"Shape of tensor {value.name} should be: ",
            as_string(expected),
            ", shape received: ",
            as_string(shapes.shape(value)),
        ]
    )
    with control_dependencies([Assert(reduce_all(equal(expected, shapes.shape(value))), [text])]):
        checked: Tensor = identity(value, name="shape_checked")
    try:
        checked.set_shape(checked.shape.merge_with(like.shape if known is None else list(known)))
    except ValueError as error:
        raise ValueError(f"Shape check failed for {value.name}: {error}") from error
    return checked


def with_sizes(value: Tensor, sizes: Sequence[Any], label: str) -> Tensor:
    """The value, whose first dimensions must have sizes: numbers or scalars.

    Raises:
      ValueError: A size is known to be another, or there are too few dimensions.
    """
    if value.shape.rank is not None and value.shape.rank < len(sizes):
        raise ValueError(
            f"{label}: rank of input is not greater than max(dimensions): "
            f"{value.shape.rank} vs. {len(sizes) - 1}"
        )
    known = [None if isinstance(size, Tensor) else size for size in sizes]
    if value.shape.rank is not None:
        try:
            rest = [None] * (value.shape.rank - len(known))
            value.set_shape(value.shape.merge_with(TensorShape([*known, *rest])))
        except ValueError as error:
            raise ValueError(f"Dimensions check failed for {label}: {error}") from error
    checks = []
    for dimension, size in enumerate(sizes):
        text = string_join(
            [
                f"Dimension {dimension} of tensor labeled {label} should be: ",
                as_string(size),
                ", shape received: ",
                as_string(shapes.shape(value)),
            ]
        )
        checks.append(Assert(equal(size, shapes.shape(value)[dimension]), [text]))
    with control_dependencies(checks):
        checked: Tensor = identity(value, name=f"dims_checked_{label}")
    return checked
