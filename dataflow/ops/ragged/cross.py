"""Crosses of features whose rows have different lengths."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.shape_parts import vector
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values.shapes import TensorShape

_TEXT: Final = "{int64, string}"


def _shapes(c: InferenceContext) -> list[TensorShape]:
    ragged = len(c.attr("ragged_values_types"))
    splits = len(c.attr("ragged_splits_types"))
    rows: int | None = None
    for place in range(ragged, ragged + splits):
        dims = c.input(place).dims_tuple
        if dims and dims[0] is not None:
            rows = dims[0]
            break
    sparse: int = c.attr("Nsparse")
    for place in range(ragged + splits + 3 * sparse, c.num_inputs):
        dims = c.input(place).dims_tuple
        if rows is None and dims and dims[0] is not None:
            rows = dims[0] + 1
    return [vector(None), vector(rows)]


define_op(
    "RaggedCross",
    inputs=(
        "ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, "
        "sparse_indices: Nsparse * int64, sparse_values: sparse_values_types, "
        "sparse_shape: Nsparse * int64, dense_inputs: dense_types"
    ),
    outputs="output_values: out_values_type, output_row_splits: out_row_splits_type",
    attrs=[
        "Nsparse: int >= 0",
        "input_order: string",
        "hashed_output: bool",
        "num_buckets: int >= 0",
        "hash_key: int",
        f"ragged_values_types: list({_TEXT}) >= 0",
        "ragged_splits_types: list({int32, int64}) >= 0",
        f"sparse_values_types: list({_TEXT}) >= 0",
        f"dense_types: list({_TEXT}) >= 0",
        f"out_values_type: {_TEXT}",
        "out_row_splits_type: {int32, int64}",
    ],
    shape=_shapes,
    gradient=MISSING_GRADIENT,
    doc="Each combination of one element of every column's row, joined or hashed.",
)
