"""Exports models of trees: as SavedModels, and as what a program makes of the trees."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.contrib.boosted_trees.features import extract_features
from dataflow.contrib.learn.utils.saved_model_export_utils import (
    ExportStrategy,
    make_export_strategy,
)
from dataflow.graph.graph import Graph
from dataflow.proto.generic_tree_model_extensions_pb2 import MatchingValuesTest
from dataflow.proto.generic_tree_model_pb2 import BinaryNode, InequalityTest, ModelAndFeatures
from dataflow.proto.tree_config_pb2 import DecisionTreeEnsembleConfig, TreeNode
from dataflow.saving.saved_model.loader import load
from dataflow.session.session import Session

_SERIALIZED: Final = "ensemble_model/TreeEnsembleSerialize"
_SERVING: Final = "serve"


def make_custom_export_strategy(
    name: str,
    convert_fn: Callable[..., Any] | None,
    feature_columns: Any,
    export_input_fn: Callable[[], Any],
    use_core_columns: bool = False,
    feature_engineering_fn: Callable[..., Any] | None = None,
    default_output_alternative_key: str | None = None,
) -> ExportStrategy:
    """A strategy that writes a SavedModel and what features gain, and calls a function.

    Args:
      name: The strategy's name.
      convert_fn: Takes the DecisionTreeEnsembleConfig, the names of features, how many of them are
        dense, sparse and categorical, the folder, and the results of the evaluation; may be None.
      feature_columns: What makes features of tensors.
      export_input_fn: Gives the inputs of the exported model.
      use_core_columns: Whether the columns are those of `tf.feature_column`.
      feature_engineering_fn: Features and labels for features and labels.
      default_output_alternative_key: Which of several heads a request gets that names none.
    """
    base = make_export_strategy(
        serving_input_fn=export_input_fn,
        strip_default_attrs=True,
        default_output_alternative_key=default_output_alternative_key,
    )
    features = export_input_fn().features
    if feature_engineering_fn is not None:
        features, _ = feature_engineering_fn(features, labels=None)
    names, dense, sparse, _, _, categories, _, _ = extract_features(
        features, feature_columns, use_core_columns
    )
    counts = len(dense), len(sparse), len(categories)

    def export_fn(
        estimator: Any, export_dir: Any, checkpoint_path: Any = None, eval_result: Any = None
    ) -> Any:
        folder = base.export(estimator, export_dir, checkpoint_path, eval_result)
        ensemble = _exported_trees(folder)
        if convert_fn:
            convert_fn(ensemble, names, *counts, folder, eval_result)
        gains = sorted(_gains(ensemble, names, *counts).items(), key=lambda each: -each[1])
        extra = os.path.join(os.fsdecode(folder), "assets.extra")
        os.makedirs(extra, exist_ok=True)
        with open(os.path.join(extra, "feature_importances"), "w", encoding="utf-8") as file:
            file.write("\n".join(f"{feature}, {gain:f}" for feature, gain in gains))
        return folder

    return ExportStrategy(name, export_fn, strip_default_attrs=True)


def _exported_trees(folder: Any) -> DecisionTreeEnsembleConfig:
    with Graph().as_default() as graph, Session(graph=graph) as session:
        load(session, [_SERVING], os.fsdecode(folder))
        outputs = graph.get_operation_by_name(_SERIALIZED).outputs
        _, serialized = session.run(list(outputs))
    return DecisionTreeEnsembleConfig.FromString(serialized)


def _split_of(
    node: TreeNode, names: Sequence[str], dense: int, sparse: int
) -> tuple[str, Any, str, str]:
    """The kind of a split, itself, and the names of the feature and of what it goes by."""
    kind = node.WhichOneof("node") or ""
    split: Any = getattr(node, kind) if kind else None
    if kind.startswith("sparse"):
        split = split.split
        name = names[split.feature_column + dense]
        return kind, split, name, f"{name}_{split.dimension_id}"
    if kind.endswith("dense_float_binary_split"):
        name = names[split.feature_column]
        return kind, split, name, name
    if "categorical" in kind:
        name = names[split.feature_column + dense + sparse]
        return kind, split, name, name
    raise ValueError(f"Unexpected node type {kind or None}")


def convert_to_universal_format(
    dtec: DecisionTreeEnsembleConfig,
    sorted_feature_names: Sequence[str],
    num_dense: int,
    num_sparse_float: int,
    num_sparse_int: int,
    feature_name_to_proto: Any = None,
) -> ModelAndFeatures:
    """Trees as a message that is not of one library.

    Args:
      dtec: The trees.
      sorted_feature_names: The names of features, by kind.
      num_dense: How many features all examples have.
      num_sparse_float: How many sparse ones there are.
      num_sparse_int: How many there are of categories.
      feature_name_to_proto: What is told of features, by name.

    Raises:
      ValueError: There are oblivious trees, or splits by sets of categories.
    """
    made = ModelAndFeatures()
    for name in sorted_feature_names:
        told = made.features[name]
        if feature_name_to_proto:
            told.CopyFrom(feature_name_to_proto[name])
    ensemble = made.model.ensemble
    ensemble.summation_combination_technique.SetInParent()
    for place, (tree, weight) in enumerate(zip(dtec.trees, dtec.tree_weights, strict=True)):
        member = ensemble.members.add()
        member.submodel_id.value = place
        nodes = member.submodel.decision_tree.nodes
        for at, node in enumerate(tree.nodes):
            added = nodes.add()
            added.node_id.value = at
            if node.WhichOneof("node") == "leaf":
                _write_leaf(added.leaf, node.leaf, weight)
                continue
            known = _split_of(node, sorted_feature_names, num_dense, num_sparse_float)
            _write_split(made, added.binary_node, *known)
    return made


def _write_leaf(made: Any, leaf: Any, weight: float) -> None:
    if leaf.HasField("vector"):
        for value in leaf.vector.value:
            made.vector.value.add().float_value = value * weight
        return
    for index, value in zip(leaf.sparse_vector.index, leaf.sparse_vector.value, strict=True):
        made.sparse_vector.sparse_value[index].float_value = value * weight


def _write_split(
    made: ModelAndFeatures, node: BinaryNode, kind: str, split: Any, name: str, column: str
) -> None:
    if kind.startswith("oblivious"):
        raise ValueError("Universal tree format doesn't support oblivious trees")
    if kind == "categorical_id_binary_split":
        node.default_direction = BinaryNode.RIGHT
        equal = MatchingValuesTest()
        equal.feature_id.id.value = column
        equal.value.add().int64_value = split.feature_id
        node.custom_left_child_test.Pack(equal)
    elif kind.endswith("set_membership_binary_split"):
        raise ValueError(f"Unexpected node type {kind}")
    else:
        if kind.startswith("sparse"):
            goes_right = kind.endswith("right")
            node.default_direction = BinaryNode.RIGHT if goes_right else BinaryNode.LEFT
            # Each dimension that counts is a feature of its own.
            made.features.pop(name, None)
            made.features[column].SetInParent()
        test = node.inequality_left_child_test
        test.feature_id.id.value = column
        test.type = InequalityTest.LESS_OR_EQUAL
        test.threshold.float_value = split.threshold
    node.left_child_id.value = split.left_id
    node.right_child_id.value = split.right_id


def _gains(
    dtec: DecisionTreeEnsembleConfig, names: Sequence[str], dense: int, sparse: int, categories: int
) -> dict[str, float]:
    """What features gain in all trees together, times the trees' weights."""
    sums: dict[str, float] = defaultdict(float)
    for tree, weight in zip(dtec.trees, dtec.tree_weights, strict=True):
        for node in tree.nodes:
            if node.WhichOneof("node") != "leaf":
                *_, column = _split_of(node, names, dense, sparse)
                sums[column] += node.node_metadata.gain * weight
    return dict(sums)
