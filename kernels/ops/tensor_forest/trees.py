"""Kernels that send examples through a tree, and let it grow."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random.simple import Draws
from dataflow.kernels.tensor_forest.examples import Examples, Targets, read_spec
from dataflow.kernels.tensor_forest.fertile_stats import FertileStatsResource
from dataflow.kernels.tensor_forest.growing import grow
from dataflow.kernels.tensor_forest.parameters import read_parameters
from dataflow.kernels.tensor_forest.tree import DecisionTreeResource


@kernel("TreeSize", device="CPU", handle=DecisionTreeResource)
def tree_size(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: DecisionTreeResource) -> Any:
        with resource.read() as tree:
            return np.int32(tree.count)

    return run


@kernel("TraverseTreeV4", device="CPU", handle=DecisionTreeResource)
def traverse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    spec = read_spec(node.attr("input_spec"))

    def run(resource: DecisionTreeResource, *given: Any) -> Any:
        with resource.read() as tree:
            return tree.find_leaves(Examples(spec, *given))

    return run


@kernel("TreePredictionsV4", device="CPU", handle=DecisionTreeResource)
def predict(node: KernelNode, xp: Any) -> Callable[..., Any]:
    spec = read_spec(node.attr("input_spec"))
    wants_paths = read_parameters(node.attr("params")).inference_tree_paths

    def run(resource: DecisionTreeResource, *given: Any) -> Any:
        with resource.read() as tree:
            leaves = tree.find_leaves(Examples(spec, *given))
            paths = tree.paths(leaves) if wants_paths else np.empty(0, object)
            return tree.predictions(leaves), paths

    return run


@kernel("FeatureUsageCounts", device="CPU", handle=DecisionTreeResource)
def feature_counts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    features = read_parameters(node.attr("params")).num_features

    def run(resource: DecisionTreeResource) -> Any:
        with resource.read() as tree:
            return tree.feature_counts(features)

    return run


@kernel("UpdateModelV4", device="CPU", handle=DecisionTreeResource)
def update_model(node: KernelNode, xp: Any) -> Callable[..., None]:
    params = read_parameters(node.attr("params"))

    def run(resource: DecisionTreeResource, leaves: Any, labels: Any, weights: Any) -> None:
        if params.is_regression:
            return
        targets = Targets(labels, weights, False, params.num_outputs)
        nodes = _of_examples(leaves, targets.count)
        with resource.change() as tree:
            if not tree.is_leaf(nodes).all():
                raise invalid("leaf_ids must be numbers of leaves, got that of an inner node")
            tree.leaves.add(nodes, targets.classes, targets.weights)

    return run


def _of_examples(leaves: Any, count: int) -> Any:
    """The leaves of as many examples as there are labels."""
    if np.size(leaves) != count:
        raise invalid(f"There are {count} labels and the leaves of {np.size(leaves)} examples")
    return np.asarray(leaves).reshape(-1)


@kernel("ProcessInputV4", device="CPU", handle=DecisionTreeResource)
def process_input(node: KernelNode, xp: Any) -> Callable[..., Any]:
    params = read_parameters(node.attr("params"))
    spec = read_spec(node.attr("input_spec"))
    seed = node.attr("random_seed")

    def run(
        tree: DecisionTreeResource,
        resource: FertileStatsResource,
        dense: Any,
        indices: Any,
        values: Any,
        shape: Any,
        labels: Any,
        weights: Any,
        leaves: Any,
    ) -> Any:
        examples = Examples(spec, dense, indices, values, shape)
        targets = Targets(labels, weights, params.is_regression, params.num_outputs)
        if targets.count != examples.count:
            raise invalid(f"There are {examples.count} examples and {targets.count} labels")
        nodes = _of_examples(leaves, examples.count)
        with resource.change() as stats:
            if not params.collate_examples:
                return stats.process(examples, targets, nodes, _draws(seed))
            return stats.process_collated(examples, targets, nodes, _draws(seed))

    return run


def _draws(seed: int) -> Draws:
    return Draws(seed if seed else int.from_bytes(os.urandom(8), "little"))


@kernel("GrowTreeV4", device="CPU", handle=DecisionTreeResource)
def grow_tree(node: KernelNode, xp: Any) -> Callable[..., None]:
    most_nodes = read_parameters(node.attr("params")).max_nodes

    def run(resource: DecisionTreeResource, counted: FertileStatsResource, finished: Any) -> None:
        with counted.change() as stats, resource.change() as tree:
            grow(tree, stats, np.asarray(finished).reshape(-1), most_nodes)

    return run


@kernel("FinalizeTree", device="CPU", handle=DecisionTreeResource)
def finalize(node: KernelNode, xp: Any) -> Callable[..., None]:
    params = read_parameters(node.attr("params"))

    def run(resource: DecisionTreeResource, counted: FertileStatsResource) -> None:
        with counted.read(), resource.read():
            if not params.is_regression:
                raise UnimplementedError(
                    None,
                    None,
                    "FinalizeTreeOp is disabled for trees of classes, as in TensorFlow; "
                    "TreePredictionsV4 makes chances of the leaves' counts.",
                )

    return run
