"""Ops by which an ensemble grows: layers of splits, and a bias before the first."""

from __future__ import annotations

from dataflow.ops.boosted_trees.shapes import dim, expect_scalars
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, merge, with_rank
from dataflow.values.shapes import TensorShape


def _updated(c: InferenceContext) -> list[TensorShape]:
    features = c.attr("num_features")
    merge(with_rank(c.input(1), 1), TensorShape.of((features,)))
    for place in range(2, 2 + features):
        candidates = dim(with_rank(c.input(place), 1), 0)
        for more in (1, 2):
            _merge_rank(c, place + more * features, (candidates,))
        for more in (3, 4):
            _merge_rank(c, place + more * features, (candidates, 1))
    return []


def _merge_rank(c: InferenceContext, place: int, dims: tuple[int | None, ...]) -> None:
    merge(with_rank(c.input(place), len(dims)), TensorShape.of(dims))


def _updated_v2(c: InferenceContext) -> list[TensorShape]:
    groups, features = c.attr("num_groups"), c.attr("num_features")
    if groups == 1 and dim(with_rank(c.input(1), 1), 0) == features:
        # One id for each feature, as programs of TensorFlow 1 have it.
        groups = features
        ids: list[int | None] = [None] * features
    else:
        ids = [dim(with_rank(c.input(1 + group), 1), 0) for group in range(groups)]
    first = 1 + c.attr("num_groups")
    for place in range(first, first + min(groups, features)):
        with_rank(c.input(place), 1)
        nodes = merge(
            with_rank(c.input(place + features), 1), TensorShape.of((ids[place - first],))
        )
        candidates = dim(nodes, 0)
        for more in (2, 3):
            _merge_rank(c, place + more * features, (candidates,))
        for more in (4, 5):
            _merge_rank(c, place + more * features, (candidates, c.attr("logits_dimension")))
        _merge_rank(c, place + 6 * features, (candidates,))
    return []


def _centered(c: InferenceContext) -> TensorShape:
    merge(with_rank(c.input(1), 2), with_rank(c.input(2), 2))
    expect_scalars(c, (3, 4))
    return SCALAR


define_op(
    "BoostedTreesUpdateEnsemble",
    inputs=(
        "tree_ensemble_handle: resource, feature_ids: int32, node_ids: num_features * int32, "
        "gains: num_features * float, thresholds: num_features * int32, "
        "left_node_contribs: num_features * float, right_node_contribs: num_features * float, "
        "max_depth: int32, learning_rate: float"
    ),
    attrs=["pruning_mode: int >= 0", "num_features: int >= 0"],
    shape=_updated,
    gradient=NOT_DIFFERENTIABLE,
    doc="Adds a layer of the best splits to the tree that grows, or begins another tree.",
    stateful=True,
)

define_op(
    "BoostedTreesUpdateEnsembleV2",
    inputs=(
        "tree_ensemble_handle: resource, feature_ids: num_groups * int32, "
        "dimension_ids: num_features * int32, node_ids: num_features * int32, "
        "gains: num_features * float, thresholds: num_features * int32, "
        "left_node_contribs: num_features * float, right_node_contribs: num_features * float, "
        "split_types: num_features * string, max_depth: int32, learning_rate: float, "
        "pruning_mode: int32"
    ),
    attrs=[
        "num_features: int >= 0",
        "logits_dimension: int = 1",
        "num_groups: int >= 1 = 1",
    ],
    shape=_updated_v2,
    gradient=NOT_DIFFERENTIABLE,
    doc="The same with splits of several kinds, and leaves of several logits.",
    stateful=True,
)

define_op(
    "BoostedTreesCenterBias",
    inputs=(
        "tree_ensemble_handle: resource, mean_gradients: float, mean_hessians: float, l1: float, "
        "l2: float"
    ),
    outputs="continue_centering: bool",
    shape=_centered,
    gradient=NOT_DIFFERENTIABLE,
    doc="Moves the bias; False where it has hardly moved.",
    stateful=True,
)
