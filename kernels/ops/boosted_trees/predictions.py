"""Kernels that send examples through an ensemble of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.ensemble import EnsembleResource
from dataflow.kernels.boosted_trees.trees import Features
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.boosted_trees.arguments import vector


def _logits(node: KernelNode) -> int:
    """How many logits there are."""
    logits: int = node.attr("logits_dimension")
    if logits < 1:
        raise invalid(f"logits_dimension must be at least 1, got {logits}")
    return logits


@kernel("BoostedTreesPredict", device="CPU", handle=EnsembleResource)
def predict(node: KernelNode, xp: Any) -> Callable[..., Any]:
    logits = _logits(node)

    def run(resource: EnsembleResource, *features: Any) -> Any:
        examples = Features(features)
        with resource.read() as ensemble:
            forest = ensemble.forest(logits)
        with np.errstate(all="ignore"):
            return forest.predicted(examples)

    return run


@kernel("BoostedTreesTrainingPredict", device="CPU", handle=EnsembleResource)
def training_predict(node: KernelNode, xp: Any) -> Callable[..., Any]:
    logits = _logits(node)

    def run(resource: EnsembleResource, trees: Any, nodes: Any, *features: Any) -> Any:
        examples = Features(features)
        for name, ids in (("cached_tree_ids", trees), ("cached_node_ids", nodes)):
            vector(ids, f"{name} must be")
            if len(ids) != len(examples):
                raise invalid(
                    f"{name} must have an element for each of {len(examples)} examples, got "
                    f"{len(ids)}"
                )
        with resource.read() as ensemble:
            forest = ensemble.forest(logits)
        with np.errstate(all="ignore"):
            return forest.predicted_since(examples, trees, nodes)

    return run


@kernel("BoostedTreesExampleDebugOutputs", device="CPU", handle=EnsembleResource)
def debug_outputs(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.attr("logits_dimension") != 1:
        raise invalid("Currently only one dimensional outputs are supported.")

    def run(resource: EnsembleResource, *features: Any) -> Any:
        examples = Features(features)
        with resource.read() as ensemble:
            forest = ensemble.forest(1)
        with np.errstate(all="ignore"):
            found = forest.explained(examples)
        made = np.empty(len(found), object)
        made[:] = found
        return made

    return run
