"""Ops that keep sparse tensors in dense ones, of strings or variants, and take them out."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values.shapes import TensorShape


def _three(c: InferenceContext) -> TensorShape:
    return TensorShape([3])


def _rows_of_three(c: InferenceContext) -> TensorShape:
    return TensorShape([None, 3])


def _parts(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape([None, None]), TensorShape([None]), TensorShape([None])]


define_op(
    "SerializeSparse",
    inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    outputs="serialized_sparse: out_type",
    attrs=["T: type", "out_type: {string, variant} = string"],
    shape=_three,
    gradient=NOT_DIFFERENTIABLE,
    doc="A sparse tensor as a vector of three.",
)
define_op(
    "SerializeManySparse",
    inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    outputs="serialized_sparse: out_type",
    attrs=["T: type", "out_type: {string, variant} = string"],
    shape=_rows_of_three,
    gradient=NOT_DIFFERENTIABLE,
    doc="The slices of a sparse tensor as the rows of a matrix.",
)
define_op(
    "DeserializeSparse",
    inputs="serialized_sparse: Tserialized",
    outputs="sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    attrs=["dtype: type", "Tserialized: {string, variant} = string"],
    shape=_parts,
    gradient=NOT_DIFFERENTIABLE,
    doc="The sparse tensors that a tensor holds, stacked.",
)
