"""Ops that read serialized `tf.train.SequenceExample` messages."""

from __future__ import annotations

from dataflow.ops.parsing.shapes import dense_shapes, joined, ragged_shapes, sparse_shapes
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape

_LIST = "list({float32, int64, string}) >= 0 = []"
_SPLITS = "list({int32, int64}) >= 0 = []"
_CONTEXT = (
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,"
    " context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense"
)
_LISTS = (
    "feature_list_sparse_indices: Nfeature_list_sparse * int64,"
    " feature_list_sparse_values: feature_list_sparse_types,"
    " feature_list_sparse_shapes: Nfeature_list_sparse * int64,"
    " feature_list_dense_values: feature_list_dense_types"
)
_LENGTHS = "feature_list_dense_lengths: Nfeature_list_dense * int64"


def _check_counts(c: InferenceContext, *counted: tuple[str, str]) -> None:
    for name, listed in counted:
        count, size = c.attr(f"N{name}"), len(c.attr(listed))
        if count != size:
            raise ValueError(f"num_{name} ({count}) must match the size of {listed} ({size})")


_COUNTED = (
    ("context_sparse", "context_sparse_types"),
    ("feature_list_sparse", "feature_list_sparse_types"),
    ("feature_list_dense", "feature_list_dense_types"),
    ("feature_list_dense", "feature_list_dense_shapes"),
)
_COUNTED_CONTEXT = (
    ("context_dense", "Tcontext_dense"),
    ("context_dense", "context_dense_shapes"),
)
_COUNTED_KEYS = tuple(
    (name, f"{name}_keys")
    for name in ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")
)


def _context(c: InferenceContext, batch: TensorShape) -> list[TensorShape]:
    return [
        *sparse_shapes(c.attr("Ncontext_sparse"), batch, 1),
        *dense_shapes(batch, c.attr("context_dense_shapes")),
    ]


def _lists(c: InferenceContext, batch: TensorShape, has_lengths: bool) -> list[TensorShape]:
    steps = joined(batch, TensorShape.of((None,)))
    dense = c.attr("feature_list_dense_shapes")
    return [
        *sparse_shapes(c.attr("Nfeature_list_sparse"), batch, 2),
        *dense_shapes(steps, dense),
        *([batch] * len(dense) if has_lengths else ()),
    ]


def _v2_shapes(c: InferenceContext) -> list[TensorShape]:
    _check_counts(c, *_COUNTED)
    if len(c.attr("Tcontext_dense")) != len(c.attr("context_dense_shapes")):
        raise ValueError("The sizes of Tcontext_dense and context_dense_shapes must match")
    counts = []
    for name in ("context_ragged", "feature_list_ragged"):
        counts.append(len(c.attr(f"{name}_value_types")))
        if len(c.attr(f"{name}_split_types")) != counts[-1]:
            raise ValueError(f"The sizes of {name}_value_types and {name}_split_types must match")
    batch = with_rank_at_most(c.input(0), 1)
    with_rank_at_most(c.input(1), 1)
    return [
        *_context(c, batch),
        *ragged_shapes(counts[0], batch, False),
        *_lists(c, batch, True),
        *ragged_shapes(counts[1], batch, True),
    ]


define_op(
    "ParseSequenceExampleV2",
    inputs=(
        "serialized: string, debug_name: string, context_sparse_keys: string,"
        " context_dense_keys: string, context_ragged_keys: string,"
        " feature_list_sparse_keys: string, feature_list_dense_keys: string,"
        " feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool,"
        " context_dense_defaults: Tcontext_dense"
    ),
    outputs=(
        f"{_CONTEXT}, context_ragged_values: context_ragged_value_types,"
        f" context_ragged_row_splits: context_ragged_split_types, {_LISTS}, {_LENGTHS},"
        " feature_list_ragged_values: feature_list_ragged_value_types,"
        " feature_list_ragged_outer_splits: feature_list_ragged_split_types,"
        " feature_list_ragged_inner_splits: feature_list_ragged_split_types"
    ),
    attrs=[
        "Ncontext_sparse: int >= 0 = 0",
        f"Tcontext_dense: {_LIST}",
        f"context_sparse_types: {_LIST}",
        f"context_ragged_value_types: {_LIST}",
        f"context_ragged_split_types: {_SPLITS}",
        "context_dense_shapes: list(shape) >= 0 = []",
        "Nfeature_list_sparse: int >= 0 = 0",
        "Nfeature_list_dense: int >= 0 = 0",
        f"feature_list_dense_types: {_LIST}",
        f"feature_list_sparse_types: {_LIST}",
        f"feature_list_ragged_value_types: {_LIST}",
        f"feature_list_ragged_split_types: {_SPLITS}",
        "feature_list_dense_shapes: list(shape) >= 0 = []",
    ],
    shape=_v2_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of a sequence example, or of a vector of them.",
)

_ATTRS = [
    "Ncontext_sparse: int >= 0 = 0",
    "Ncontext_dense: int >= 0 = 0",
    "Nfeature_list_sparse: int >= 0 = 0",
    "Nfeature_list_dense: int >= 0 = 0",
    f"context_sparse_types: {_LIST}",
    f"Tcontext_dense: {_LIST}",
    f"feature_list_dense_types: {_LIST}",
    "context_dense_shapes: list(shape) >= 0 = []",
    f"feature_list_sparse_types: {_LIST}",
    "feature_list_dense_shapes: list(shape) >= 0 = []",
]


def _v1_shapes(c: InferenceContext) -> list[TensorShape]:
    _check_counts(c, *_COUNTED_KEYS, *_COUNTED, *_COUNTED_CONTEXT)
    batch = with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [*_context(c, batch), *_lists(c, batch, True)]


define_op(
    "ParseSequenceExample",
    inputs="serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense",
    outputs=f"{_CONTEXT}, {_LISTS}, {_LENGTHS}",
    attrs=[
        "feature_list_dense_missing_assumed_empty: list(string) >= 0",
        *(f"{name}: list(string) >= 0" for _, name in _COUNTED_KEYS),
        *_ATTRS,
    ],
    shape=_v1_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of a vector of sequence examples; keys are attrs.",
)


def _single_shapes(c: InferenceContext) -> list[TensorShape]:
    _check_counts(c, *_COUNTED, *_COUNTED_CONTEXT)
    batch = with_rank(c.input(0), 0)
    with_rank(c.input(1), 1)
    return [*_context(c, batch), *_lists(c, batch, False)]


define_op(
    "ParseSingleSequenceExample",
    inputs=(
        "serialized: string, feature_list_dense_missing_assumed_empty: string,"
        " context_sparse_keys: Ncontext_sparse * string,"
        " context_dense_keys: Ncontext_dense * string,"
        " feature_list_sparse_keys: Nfeature_list_sparse * string,"
        " feature_list_dense_keys: Nfeature_list_dense * string,"
        " context_dense_defaults: Tcontext_dense, debug_name: string"
    ),
    outputs=f"{_CONTEXT}, {_LISTS}",
    attrs=_ATTRS,
    shape=_single_shapes,
    gradient=MISSING_GRADIENT,
    doc="The features of a sequence example; each key is a tensor.",
)
