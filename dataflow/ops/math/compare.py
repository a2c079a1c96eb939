"""Comparisons and logic, element by element."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import binary, unary
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NUMBER, REAL
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, broadcast, merge, unchanged
from dataflow.values.shapes import TensorShape


def _lenient_broadcast(c: InferenceContext) -> TensorShape:
    """Shapes that do not fit give a scalar if the op is told to take them."""
    x, y = c.input(0).dims_tuple, c.input(1).dims_tuple
    if c.attr("incompatible_shape_error") or x is None or y is None:
        return broadcast(c)
    rank = max(len(x), len(y))
    dims: list[int | None] = []
    padded = ((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y)
    for m, n in zip(*padded, strict=True):
        if 1 in (m, n):
            dims.append(n if m == 1 else m)
        elif m is None or n is None:
            # They may fit, and may not.
            return UNKNOWN
        elif m == n:
            dims.append(m)
        else:
            return SCALAR
    return TensorShape.of(tuple(dims))


def _approximate_shape(c: InferenceContext) -> TensorShape:
    merge(c.input(0), c.input(1))
    return c.input(0)


for _name, _doc in (
    ("Equal", "Whether x is y."),
    ("NotEqual", "Whether x is not y."),
):
    define_op(
        _name,
        inputs="x: T, y: T",
        outputs="z: bool",
        attrs=["T: type", "incompatible_shape_error: bool = true"],
        shape=_lenient_broadcast,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        commutative=True,
    )
for _name, _doc in (
    ("Less", "Whether x < y."),
    ("LessEqual", "Whether x <= y."),
    ("Greater", "Whether x > y."),
    ("GreaterEqual", "Whether x >= y."),
):
    define_op(
        _name,
        inputs="x: T, y: T",
        outputs="z: bool",
        attrs=[REAL],
        shape=broadcast,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )
define_op(
    "ApproximateEqual",
    inputs="x: T, y: T",
    outputs="z: bool",
    attrs=[NUMBER, "tolerance: float = 1e-05"],
    shape=_approximate_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether |x - y| < tolerance.",
    commutative=True,
)
for _name, _doc in (
    ("LogicalAnd", "Whether both are true."),
    ("LogicalOr", "Whether one is true."),
):
    define_op(
        _name,
        inputs="x: bool, y: bool",
        outputs="z: bool",
        shape=broadcast,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        commutative=True,
    )
define_op(
    "LogicalNot",
    inputs="x: bool",
    outputs="y: bool",
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether it is false.",
)


@binary
def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x == y, element by element, with broadcasting."""
    return single("Equal", x, y, name=name)


@binary
def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x != y, element by element, with broadcasting."""
    return single("NotEqual", x, y, name=name)


@binary
def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x < y, element by element, with broadcasting."""
    return single("Less", x, y, name=name)


@binary
def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x <= y, element by element, with broadcasting."""
    return single("LessEqual", x, y, name=name)


@binary
def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x > y, element by element, with broadcasting."""
    return single("Greater", x, y, name=name)


@binary
def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x >= y, element by element, with broadcasting."""
    return single("GreaterEqual", x, y, name=name)


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5, name: str | None = None) -> Tensor:
    """Whether |x - y| < tolerance, element by element; the shapes are equal."""
    return single("ApproximateEqual", x, y, tolerance=tolerance, name=name)


@binary
def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether both are true, element by element, with broadcasting."""
    return single("LogicalAnd", x, y, name=name)


@binary
def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether at least one is true, element by element, with broadcasting."""
    return single("LogicalOr", x, y, name=name)


@unary
def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Whether it is false, element by element."""
    return single("LogicalNot", x, name=name)


@binary
def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Whether exactly one is true, element by element, with broadcasting."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)
