"""Ops that send examples through an ensemble of trees."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import dim
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape

_FEATURES = "bucketized_features: num_bucketized_features * int32"
_ATTRS = ("num_bucketized_features: int >= 1", "logits_dimension: int")


def _examples(c: InferenceContext, first: int) -> int | None:
    """How many examples there are, as the last feature tells."""
    found = None
    for place in range(first, c.num_inputs):
        feature = with_rank_at_most(c.input(place), 2)
        if feature.rank == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        found = dim(feature, 0)
        if first == 1:
            merge_dim(_leading(c.input(1)), found)
    return found


def _leading(shape: TensorShape) -> int | None:
    return dim(shape, 0) if shape.rank else None


def _logits(c: InferenceContext, examples: int | None) -> TensorShape:
    logits = c.attr("logits_dimension")
    return TensorShape.of((examples, None if logits < 0 else logits))


def _predicted(c: InferenceContext) -> TensorShape:
    return _logits(c, _examples(c, 1))


def _explained(c: InferenceContext) -> TensorShape:
    return TensorShape.of((_examples(c, 1),))


def _predicted_while_training(c: InferenceContext) -> list[TensorShape]:
    examples = _examples(c, 3)
    trees, nodes = with_rank(c.input(1), 1), with_rank(c.input(2), 1)
    merge_dim(dim(trees, 0), dim(nodes, 0))
    vector = TensorShape.of((examples,))
    return [_logits(c, examples), vector, vector]


define_op(
    "BoostedTreesPredict",
    inputs=f"tree_ensemble_handle: resource, {_FEATURES}",
    outputs="logits: float",
    attrs=_ATTRS,
    shape=_predicted,
    gradient=NOT_DIFFERENTIABLE,
    doc="The logits of examples: the sums over all trees.",
    stateful=True,
)

define_op(
    "BoostedTreesExampleDebugOutputs",
    inputs=f"tree_ensemble_handle: resource, {_FEATURES}",
    outputs="examples_debug_outputs_serialized: string",
    attrs=_ATTRS,
    shape=_explained,
    gradient=NOT_DIFFERENTIABLE,
    doc="For each example, as a DebugOutput message, the features and logits on its way.",
    stateful=True,
)

define_op(
    "BoostedTreesTrainingPredict",
    inputs=(
        "tree_ensemble_handle: resource, cached_tree_ids: int32, cached_node_ids: int32, "
        f"{_FEATURES}"
    ),
    outputs="partial_logits: float, tree_ids: int32, node_ids: int32",
    attrs=_ATTRS,
    shape=_predicted_while_training,
    gradient=NOT_DIFFERENTIABLE,
    doc="What is added to logits by what has grown since examples reached the nodes given.",
    stateful=True,
)
