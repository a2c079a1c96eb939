"""Ops that send examples through ensembles of trees."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from dataflow.ops.boosted_trees.shapes import VECTOR
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values.shapes import TensorShape

_FEATURES = (
    "dense_float_features: num_dense_float_features * float, "
    "sparse_float_feature_indices: num_sparse_float_features * int64, "
    "sparse_float_feature_values: num_sparse_float_features * float, "
    "sparse_float_feature_shapes: num_sparse_float_features * int64, "
    "sparse_int_feature_indices: num_sparse_int_features * int64, "
    "sparse_int_feature_values: num_sparse_int_features * int64, "
    "sparse_int_feature_shapes: num_sparse_int_features * int64"
)
_COUNTS = [
    "num_dense_float_features: int >= 0",
    "num_sparse_float_features: int >= 0",
    "num_sparse_int_features: int >= 0",
    "use_locking: bool = false",
]


def _predicted(c: InferenceContext) -> list[TensorShape]:
    try:
        classes = LearnerConfig.FromString(c.attr("learner_config")).num_classes
    except DecodeError:
        raise ValueError("Unable to parse learner config.") from None
    logits = classes - 1 if c.attr("reduce_dim") else classes
    leaves = [TensorShape.of((None, None))] * (c.num_outputs - 2)
    return [TensorShape.of((None, logits)), TensorShape(None), *leaves]


def _partitions(c: InferenceContext) -> list[TensorShape]:
    return [VECTOR]


for _op, _leaves, _doc in (
    ("GradientTreesPrediction", "", "The logits of examples, and which trees were left out."),
    (
        "GradientTreesPredictionVerbose",
        ", leaf_index: int32",
        "The same, and the leaf of each tree at which each example arrives.",
    ),
):
    define_op(
        _op,
        inputs=f"tree_ensemble_handle: resource, seed: int64, {_FEATURES}",
        outputs=f"predictions: float, drop_out_tree_indices_weights: float{_leaves}",
        attrs=[
            "learner_config: string",
            *_COUNTS,
            "apply_dropout: bool",
            "apply_averaging: bool",
            "center_bias: bool",
            "reduce_dim: bool",
        ],
        shape=_predicted,
        gradient=MISSING_GRADIENT,
        doc=_doc,
        stateful=True,
    )

define_op(
    "GradientTreesPartitionExamples",
    inputs=f"tree_ensemble_handle: resource, {_FEATURES}",
    outputs="partition_ids: int32",
    attrs=_COUNTS,
    shape=_partitions,
    gradient=MISSING_GRADIENT,
    doc="The node of the growing tree at which each example arrives.",
    stateful=True,
)
