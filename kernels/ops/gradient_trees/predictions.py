"""Kernels that send examples through ensembles of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.gradient_trees import dropout
from dataflow.kernels.gradient_trees.ensemble import Ensemble, EnsembleResource, predicted
from dataflow.kernels.ops.gradient_trees.arguments import config_of, features_of, number
from dataflow.proto.learner_pb2 import AveragingConfig, LearnerConfig


@kernel("GradientTreesPrediction", device="CPU", handle=EnsembleResource)
@kernel("GradientTreesPredictionVerbose", device="CPU", handle=EnsembleResource)
def predict(node: KernelNode, xp: Any) -> Callable[..., Any]:
    config, has_bias = config_of(node), node.attr("center_bias")
    if config.num_classes < 2:
        raise invalid("Number of classes must be >=2")
    logits = config.num_classes - (1 if node.attr("reduce_dim") else 0)
    averaging = config.averaging_config if node.attr("apply_averaging") else AveragingConfig()
    _check_averaging(averaging)
    drops = node.attr("apply_dropout")
    tells_leaves = node.op.endswith("Verbose")

    def run(resource: EnsembleResource, seed: Any, *inputs: Any) -> Any:
        features = features_of(node, inputs)
        with resource.read() as ensemble:
            weights = np.array(ensemble.message.tree_weights, np.float32)
            left_out = _left_out(ensemble, config, seed, has_bias) if drops else []
            places = _included(ensemble, config, left_out, has_bias)
            trees, count = ensemble.chosen(places), ensemble.tree_count
        before = weights[left_out]
        averaged = _averaged(weights, averaging, count)
        sums, leaves = predicted(trees, averaged[places], features, logits)
        told = np.stack([np.array(left_out, np.float32), before])
        if not tells_leaves:
            return sums, told
        at = np.zeros((len(features), count), np.int32)
        for place, column in zip(places, leaves, strict=True):
            at[:, place] = column
        return sums, told, at

    return run


def _check_averaging(config: AveragingConfig) -> None:
    kind = config.WhichOneof("config")
    if kind == "average_last_n_trees" and not config.average_last_n_trees > 0:
        raise invalid("Average last n trees must be a positive number")
    if kind == "average_last_percent_trees" and not 0 < config.average_last_percent_trees <= 1:
        raise invalid("Average last percent must be in (0,1] interval.")


def _averaged(weights: Any, config: AveragingConfig, count: int) -> Any:
    """Weights by which the last trees count the less the later they came."""
    kind = config.WhichOneof("config")
    if kind is None:
        return weights
    if kind == "average_last_n_trees":
        first = int(max(0.0, count - config.average_last_n_trees))
    else:
        first = int(max(0.0, count * (1.0 - config.average_last_percent_trees)))
    size = count - first
    found = weights.copy()
    steps = np.arange(size, 0, -1).astype(np.float32)
    found[first:count] = found[first:count] * steps / np.float32(size)
    return found


def _left_out(ensemble: Ensemble, config: LearnerConfig, seed: Any, has_bias: bool) -> list[int]:
    """Trees that dropout leaves out; never the bias, nor the tree that grows."""
    tuner = config.learning_rate_tuner
    if tuner.WhichOneof("tuner") != "dropout":
        return []
    stays = {0} if has_bias else set()
    if ensemble.message.HasField("growing_metadata"):
        stays.add(ensemble.tree_count - 1)
    count = len(ensemble.message.tree_weights)
    return dropout.dropped(number(seed, "seed"), tuner.dropout, stays, count)


def _included(
    ensemble: Ensemble, config: LearnerConfig, left_out: list[int], has_bias: bool
) -> list[int]:
    """Trees that count: where whole trees grow, only those that are done."""
    metadata, out = ensemble.message.tree_metadata, set(left_out)
    found = [place for place in range(ensemble.tree_count) if place not in out]
    if config.growing_mode != LearnerConfig.WHOLE_TREE or not metadata:
        return found
    if len(metadata) < ensemble.tree_count:
        raise invalid(
            f"The ensemble has {ensemble.tree_count} trees, and metadata of {len(metadata)}"
        )
    return [place for place in found if metadata[place].is_finalized or (has_bias and place == 0)]


@kernel("GradientTreesPartitionExamples", device="CPU", handle=EnsembleResource)
def partition(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource, *inputs: Any) -> Any:
        features = features_of(node, inputs)
        with resource.read() as ensemble:
            tree = None if ensemble.is_last_done else ensemble.arrays(ensemble.tree_count - 1)
        if tree is None or not len(tree):
            return np.zeros(len(features), np.int32)
        return tree.leaves(features)

    return run
