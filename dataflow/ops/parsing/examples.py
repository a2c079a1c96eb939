"""Ops that read serialized `tf.train.Example` messages."""

from __future__ import annotations

from dataflow.ops.parsing.shapes import (
    check_inner,
    check_lengths,
    dense_shapes,
    ragged_shapes,
    sparse_shapes,
)
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape

_TYPES = "{float32, int64, string}"


def _v2_shapes(c: InferenceContext) -> list[TensorShape]:
    sparse, dense, ragged = c.attr("sparse_types"), c.attr("Tdense"), c.attr("ragged_value_types")
    check_lengths(
        ("sparse_keys", c.attr("num_sparse"), "sparse_types", len(sparse)),
        ("dense_keys", len(dense), "dense_shapes", len(c.attr("dense_shapes"))),
        ("ragged_keys", len(ragged), "ragged_split_types", len(c.attr("ragged_split_types"))),
    )
    check_inner(c.attr("dense_shapes"))
    batch = with_rank_at_most(c.input(0), 1)
    with_rank_at_most(c.input(1), 1)
    return [
        *sparse_shapes(len(sparse), batch, 1),
        *dense_shapes(batch, c.attr("dense_shapes")),
        *ragged_shapes(len(ragged), batch, False),
    ]


define_op(
    "ParseExampleV2",
    inputs=(
        "serialized: string, names: string, sparse_keys: string, dense_keys: string,"
        " ragged_keys: string, dense_defaults: Tdense"
    ),
    outputs=(
        "sparse_indices: num_sparse * int64, sparse_values: sparse_types,"
        " sparse_shapes: num_sparse * int64, dense_values: Tdense,"
        " ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types"
    ),
    attrs=[
        f"Tdense: list({_TYPES}) >= 0",
        "num_sparse: int >= 0",
        f"sparse_types: list({_TYPES}) >= 0",
        f"ragged_value_types: list({_TYPES}) >= 0",
        "ragged_split_types: list({int32, int64}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_v2_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of an example, or of a vector of them.",
)


def _v1_shapes(c: InferenceContext) -> list[TensorShape]:
    sparse, dense = c.attr("sparse_types"), c.attr("Tdense")
    check_lengths(
        ("sparse_keys", c.attr("Nsparse"), "sparse_types", len(sparse)),
        ("dense_keys", c.attr("Ndense"), "dense_types", len(dense)),
        ("dense_keys", len(dense), "dense_shapes", len(c.attr("dense_shapes"))),
    )
    check_inner(c.attr("dense_shapes"))
    batch = with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [
        *sparse_shapes(len(sparse), batch, 1),
        *dense_shapes(batch, c.attr("dense_shapes")),
    ]


define_op(
    "ParseExample",
    inputs=(
        "serialized: string, names: string, sparse_keys: Nsparse * string,"
        " dense_keys: Ndense * string, dense_defaults: Tdense"
    ),
    outputs=(
        "sparse_indices: Nsparse * int64, sparse_values: sparse_types,"
        " sparse_shapes: Nsparse * int64, dense_values: Tdense"
    ),
    attrs=[
        "Nsparse: int >= 0",
        "Ndense: int >= 0",
        f"sparse_types: list({_TYPES}) >= 0",
        f"Tdense: list({_TYPES}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_v1_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of a vector of examples; each key is a tensor.",
)


def _single_shapes(c: InferenceContext) -> list[TensorShape]:
    sparse, dense = c.attr("sparse_types"), c.attr("Tdense")
    check_lengths(
        ("sparse_keys", len(c.attr("sparse_keys")), "sparse_types", len(sparse)),
        ("dense_keys", len(c.attr("dense_keys")), "dense_types", len(dense)),
        ("dense_keys", len(dense), "dense_shapes", len(c.attr("dense_shapes"))),
    )
    check_inner(c.attr("dense_shapes"))
    batch = with_rank(c.input(0), 0)
    return [
        *sparse_shapes(c.attr("num_sparse"), batch, 1),
        *dense_shapes(batch, c.attr("dense_shapes")),
    ]


define_op(
    "ParseSingleExample",
    inputs="serialized: string, dense_defaults: Tdense",
    outputs=(
        "sparse_indices: num_sparse * int64, sparse_values: sparse_types,"
        " sparse_shapes: num_sparse * int64, dense_values: Tdense"
    ),
    attrs=[
        "num_sparse: int >= 0",
        "sparse_keys: list(string) >= 0",
        "dense_keys: list(string) >= 0",
        f"sparse_types: list({_TYPES}) >= 0",
        f"Tdense: list({_TYPES}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_single_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of an example; keys are attrs.",
)
