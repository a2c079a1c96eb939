"""How often integers stand in a sparse tensor."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank
from dataflow.values.shapes import TensorShape


def _counts_shape(c: InferenceContext) -> TensorShape:
    dims = c.input(2).dims_tuple
    size, shape = c.constant(3), c.constant(2)
    if dims is None or dims[0] is None:
        return UNKNOWN
    with_rank(c.input(3), 0)
    if size is not None and int(size) < 0:
        raise ValueError(f"size ({int(size)}) must be non-negative")
    length = None if size is None else int(size)
    if dims[0] > 2:
        raise ValueError("Input must be less than rank 2")
    if dims[0] == 1:
        return TensorShape.of((length,))
    rows = None if shape is None or length is None else int(shape[0])
    return TensorShape.of((rows, length))


define_op(
    "SparseBincount",
    inputs="indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T",
    outputs="output: T",
    attrs=[
        "Tidx: {int32, int64}",
        "T: {int32, int64, float32, float64}",
        "binary_output: bool = false",
    ],
    shape=_counts_shape,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer below size, in each row.",
)
