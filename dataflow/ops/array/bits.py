"""Bitcast: the same bytes as elements of another type."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import dispatched
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, subshape, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_least
from dataflow.values.shapes import TensorShape

_TYPES = (
    "{bfloat16, half, float32, float64, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
    "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"
)


def _bitcast_shape(c: InferenceContext) -> TensorShape:
    shape, source, target = c.input(0), c.input_dtype(0), c.attr("type")
    if source.size >= target.size:
        ratio = source.size // target.size
        return shape if ratio == 1 else shape.concatenate(vector(ratio))
    ratio = target.size // source.size
    last = size_at(with_rank_at_least(shape, 1), -1)
    if last not in (None, ratio):
        raise ValueError(
            f"Cannot bitcast from {source.as_datatype_enum} to {target.as_datatype_enum} due to "
            f"shape. {last} does not match {ratio}"
        )
    return subshape(shape, 0, -1)


define_op(
    "Bitcast",
    inputs="input: T",
    outputs="output: type",
    attrs=[f"T: {_TYPES}", f"type: {_TYPES}"],
    shape=_bitcast_shape,
    gradient=MISSING_GRADIENT,
    doc="The same bytes as elements of another type.",
)


@dispatched
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes as elements of another type.

    Args:
      input: A tensor of numbers.
      type: The other type. Smaller elements add a last dimension, larger ones need one that fits.
      name: Name of the operation.

    Raises:
      ValueError: The last dimension is known not to fit.
    """
    return single("Bitcast", input, type=type, name=name)
