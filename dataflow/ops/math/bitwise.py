"""Bit operations on integers, element by element."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import binary, unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import INTEGER
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import broadcast, unchanged

for _name, _commutative, _doc in (
    ("BitwiseAnd", True, "The bits set in both."),
    ("BitwiseOr", True, "The bits set in at least one."),
    ("BitwiseXor", True, "The bits set in exactly one."),
    ("LeftShift", False, "x with its bits moved up by y."),
    ("RightShift", False, "x with its bits moved down by y; the sign is kept."),
):
    define_op(
        _name,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=[INTEGER],
        shape=broadcast,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        commutative=_commutative,
    )
define_op(
    "Invert",
    inputs="x: T",
    outputs="y: T",
    attrs=[INTEGER],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="All bits flipped.",
)
define_op(
    "PopulationCount",
    inputs="x: T",
    outputs="y: uint8",
    attrs=[INTEGER],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of bits set.",
)


@binary
def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits set in both integers, with broadcasting."""
    return single("BitwiseAnd", x, y, name=name)


@binary
def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits set in at least one of both integers, with broadcasting."""
    return single("BitwiseOr", x, y, name=name)


@binary
def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits set in exactly one of both integers, with broadcasting."""
    return single("BitwiseXor", x, y, name=name)


@binary
def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x with its bits moved up by y places, with broadcasting."""
    return single("LeftShift", x, y, name=name)


@binary
def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x with its bits moved down by y places, keeping the sign, with broadcasting."""
    return single("RightShift", x, y, name=name)


@unary
def invert(x: Any, name: str | None = None) -> Tensor:
    """All bits flipped."""
    return single("Invert", x, name=name)


def population_count(x: Any, name: str | None = None) -> Tensor:
    """The number of bits set in each integer, as uint8."""
    return single("PopulationCount", x, name=name)
