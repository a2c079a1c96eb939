"""Constants whose values are files."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values.shapes import TensorShape


def _stated(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


define_op(
    "ImmutableConst",
    inputs="",
    outputs="tensor: dtype",
    attrs=["dtype: type", "shape: shape", "memory_region_name: string"],
    shape=_stated,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements in a file, as they lie in memory.",
)
