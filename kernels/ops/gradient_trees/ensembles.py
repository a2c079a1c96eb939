"""Kernels that create, read, replace and grow ensembles of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.gradient_trees import growing, layer_growing
from dataflow.kernels.gradient_trees.ensemble import Ensemble, EnsembleResource
from dataflow.kernels.gradient_trees.growing import Step
from dataflow.kernels.gradient_trees.stamped import check_next, check_stamp
from dataflow.kernels.ops.gradient_trees.arguments import config_of, element, message, number
from dataflow.proto.learner_pb2 import LearnerConfig


@kernel("CreateTreeEnsembleVariable", device="CPU", handle=EnsembleResource)
def create(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: EnsembleResource, stamp: Any, serialized: Any) -> None:
        resource.create(Ensemble(*_state(stamp, serialized)))

    return run


@kernel("TreeEnsembleDeserialize", device="CPU", handle=EnsembleResource)
def deserialize(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: EnsembleResource, stamp: Any, serialized: Any) -> None:
        with resource.change() as ensemble:
            ensemble.replace(*_state(stamp, serialized))

    return run


def _state(stamp: Any, serialized: Any) -> tuple[int, bytes]:
    return number(stamp, "stamp_token"), message(serialized, "tree_ensemble_config")


@kernel("TreeEnsembleStampToken", device="CPU", handle=EnsembleResource)
def stamp_token(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource) -> Any:
        with resource.read() as ensemble:
            return np.int64(ensemble.stamp)

    return run


@kernel("TreeEnsembleSerialize", device="CPU", handle=EnsembleResource)
def serialize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource) -> Any:
        with resource.read() as ensemble:
            return np.int64(ensemble.stamp), np.array(ensemble.serialized(), object)

    return run


@kernel("TreeEnsembleUsedHandlers", device="CPU", handle=EnsembleResource)
def used_handlers(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_all_handlers")

    def run(resource: EnsembleResource, stamp: Any) -> Any:
        with resource.read() as ensemble:
            check_stamp(ensemble.stamp, number(stamp, "stamp_token"), "the ensemble")
            used = ensemble.used_handlers
        if used and not 0 <= used[0] <= used[-1] < count:
            raise invalid(f"The ensemble has used handler {used[-1]}, and there are {count}")
        mask = np.zeros(count, bool)
        mask[used] = True
        return np.int64(len(used)), mask

    return run


@kernel("TreeEnsembleStats", device="CPU", handle=EnsembleResource)
def stats(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource, stamp: Any) -> Any:
        with resource.read() as ensemble:
            check_stamp(ensemble.stamp, number(stamp, "stamp_token"), "the ensemble")
            trees, metadata = ensemble.tree_count, ensemble.message.tree_metadata
            growing_metadata = ensemble.message.growing_metadata
            found = (
                trees if ensemble.is_last_done else trees - 1,
                sum(each.num_layers_grown for each in metadata),
                trees,
                metadata[-1].num_layers_grown if metadata else 0,
                growing_metadata.num_trees_attempted,
                growing_metadata.num_layers_attempted,
            )
        return tuple(map(np.int64, found))

    return run


def _next_stamp(ensemble: Ensemble, stamp: Any, following: Any) -> int:
    """The next stamp of an ensemble."""
    token, later = number(stamp, "stamp_token"), number(following, "next_stamp_token")
    check_stamp(ensemble.stamp, token, "the ensemble")
    check_next(token, later)
    return later


@kernel("CenterTreeEnsembleBias", device="CPU", handle=EnsembleResource)
def center_bias(node: KernelNode, xp: Any) -> Callable[..., Any]:
    config_of(node)
    epsilon = node.attr("centering_epsilon")

    def run(resource: EnsembleResource, stamp: Any, following: Any, deltas: Any) -> Any:
        if np.ndim(deltas) != 1:
            raise invalid("delta_updates must be a vector")
        with resource.change() as ensemble:
            later = _next_stamp(ensemble, stamp, following)
            goes_on = growing.center(ensemble, deltas, epsilon)
            ensemble.stamp = later
        return np.bool_(goes_on)

    return run


@kernel("GrowTreeEnsemble", device="CPU", handle=EnsembleResource)
def grow(node: KernelNode, xp: Any) -> Callable[..., None]:
    config, count = config_of(node), node.attr("num_handlers")
    has_bias = node.attr("center_bias")

    def run(
        resource: EnsembleResource,
        stamp: Any,
        following: Any,
        rate: Any,
        seed: Any,
        max_depth: Any,
        learner: Any,
        *offers: Any,
    ) -> None:
        step = Step(
            config,
            float(element(rate, "learning_rate")),
            number(seed, "dropout_seed"),
            number(max_depth, "max_tree_depth"),
            has_bias,
        )
        parts = [offers[at : at + count] for at in (0, count, 2 * count)]
        kind = number(learner, "weak_learner_type")
        if kind not in LearnerConfig.WeakLearnerType.values():
            raise invalid(f"Unknown weak learner type {kind}")
        with resource.change() as ensemble:
            later = _next_stamp(ensemble, stamp, following)
            lists = [(at, *each) for at, each in enumerate(zip(*parts, strict=True))]
            if kind == LearnerConfig.OBLIVIOUS_DECISION_TREE:
                best = layer_growing.best_of(lists, config)
                ensemble.count_attempt()
                layer_growing.grow(ensemble, best, step)
            else:
                splits = growing.best_of(growing.offered(lists), config)
                ensemble.count_attempt()
                growing.grow(ensemble, splits, step)
            ensemble.stamp = later

    return run
