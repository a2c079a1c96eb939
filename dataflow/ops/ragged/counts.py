"""How often integers stand in rows of different lengths."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import vector
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import unknown
from dataflow.values.shapes import TensorShape


def _found_shapes(c: InferenceContext) -> list[TensorShape]:
    rank = c.input(1).rank
    size = None if rank is None else rank + 1
    return [TensorShape.of((None, size)), vector(None), vector(size)]


define_op(
    "RaggedBincount",
    inputs="splits: int64, values: Tidx, size: Tidx, weights: T",
    outputs="output: T",
    attrs=[
        "Tidx: {int32, int64}",
        "T: {int32, int64, float32, float64}",
        "binary_output: bool = false",
    ],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer below size, in each row.",
)

define_op(
    "RaggedCountSparseOutput",
    inputs="splits: int64, values: T, weights: output_type",
    outputs="output_indices: int64, output_values: output_type, output_dense_shape: int64",
    attrs=[
        "T: {int32, int64}",
        "minlength: int >= -1 = -1",
        "maxlength: int >= -1 = -1",
        "binary_output: bool",
        "output_type: {int32, int64, float32, float64}",
    ],
    shape=_found_shapes,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer in each row, where it is not 0.",
)
