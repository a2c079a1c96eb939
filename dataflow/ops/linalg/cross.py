"""The cross product of vectors of three."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import REAL
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _cross_shape(c: InferenceContext) -> TensorShape:
    a, b = (with_rank_at_least(c.input(i), 1) for i in range(2))
    for shape in (a, b):
        dims = shape.dims_tuple
        if dims is not None and dims[-1] not in (None, 3):
            raise ValueError(f"Dimension must be 3 but is {dims[-1]}")
    return merge(a, b)


def _cross_gradient(op: Operation, grad: Any) -> Any:
    a, b = op.inputs
    return cross(b, grad), cross(grad, a)


define_op(
    "Cross",
    inputs="a: T, b: T",
    outputs="product: T",
    attrs=[REAL],
    shape=_cross_shape,
    gradient=_cross_gradient,
    doc="The cross products along the last axis, which has size 3.",
)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross products of vectors of three, of one shape, along the last axis.

    Raises:
      ValueError: The shapes differ, or the last axis has not size 3.
    """
    return single("Cross", a, b, name=name)
