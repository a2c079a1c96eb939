"""Kernels that make, create and replace the resources of boosted trees."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.boosted_trees.ensemble import Ensemble, EnsembleResource
from dataflow.kernels.boosted_trees.streams import QuantileStreamResource, QuantileStreams
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import DEFAULT_CONTAINER
from dataflow.kernels.ops.boosted_trees.arguments import scalar


@kernel("BoostedTreesEnsembleResourceHandleOp", device="CPU")
def ensemble_handle(node: KernelNode, xp: Any) -> Callable[[], EnsembleResource]:
    container, name, path = _names(node)
    find = node.resources.lookup_or_create
    return lambda: find(container, name, EnsembleResource, lambda: EnsembleResource(path))


@kernel("BoostedTreesQuantileStreamResourceHandleOp", device="CPU")
def streams_handle(node: KernelNode, xp: Any) -> Callable[[], QuantileStreamResource]:
    container, name, path = _names(node)
    find = node.resources.lookup_or_create
    return lambda: find(
        container, name, QuantileStreamResource, lambda: QuantileStreamResource(path)
    )


def _names(node: KernelNode) -> tuple[str, str, str]:
    """Container and name, and both for messages."""
    container, name = (os.fsdecode(node.attr(attr)) for attr in ("container", "shared_name"))
    return container, name, f"{container or DEFAULT_CONTAINER}/{name}"


@kernel("IsBoostedTreesEnsembleInitialized", device="CPU", handle=EnsembleResource)
@kernel(
    "IsBoostedTreesQuantileStreamResourceInitialized", device="CPU", handle=QuantileStreamResource
)
def is_initialized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Any]) -> Any:
        return np.bool_(resource.is_created)

    return run


@kernel("BoostedTreesCreateEnsemble", device="CPU", handle=EnsembleResource)
def create_ensemble(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: EnsembleResource, stamp: Any, serialized: Any) -> None:
        resource.create(Ensemble(_stamp(stamp), _message(serialized)))

    return run


@kernel("BoostedTreesDeserializeEnsemble", device="CPU", handle=EnsembleResource)
def deserialize_ensemble(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: EnsembleResource, stamp: Any, serialized: Any) -> None:
        with resource.change() as ensemble:
            ensemble.replace(_stamp(stamp), _message(serialized))

    return run


def _stamp(value: Any) -> int:
    return int(scalar(value, "stamp_token"))


def _message(value: Any) -> bytes:
    if np.ndim(value):
        scalar(value, "tree_ensemble_serialized")
    return bytes(np.asarray(value, object).item())


@kernel("BoostedTreesSerializeEnsemble", device="CPU", handle=EnsembleResource)
def serialize_ensemble(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource) -> Any:
        with resource.read() as ensemble:
            return np.int64(ensemble.stamp), np.array(ensemble.serialized(), object)

    return run


@kernel("BoostedTreesGetEnsembleStates", device="CPU", handle=EnsembleResource)
def ensemble_states(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: EnsembleResource) -> Any:
        with resource.read() as ensemble:
            trees, growing = ensemble.tree_count, ensemble.message.growing_metadata
            is_done = not trees or ensemble.metadata(trees - 1).is_finalized
            nodes = growing.last_layer_node_start, max(1, growing.last_layer_node_end)
            return (
                np.int64(ensemble.stamp),
                np.int32(trees),
                np.int32(trees if is_done else trees - 1),
                np.int64(growing.num_layers_attempted).astype(np.int32),
                np.array(nodes, np.int32),
            )

    return run


@kernel("BoostedTreesCreateQuantileStreamResource", device="CPU", handle=QuantileStreamResource)
def create_streams(node: KernelNode, xp: Any) -> Callable[..., None]:
    most_values = node.attr("max_elements")

    def run(resource: QuantileStreamResource, epsilon: Any, count: Any) -> None:
        error, streams = float(scalar(epsilon, "epsilon")), int(scalar(count, "num_streams"))
        if streams > _MOST_STREAMS:
            raise invalid(f"num_streams must be at most {_MOST_STREAMS}, got {streams}")
        resource.create(QuantileStreams(error, most_values, streams))

    return run


_MOST_STREAMS = 1 << 24
"""A number that no memory holds would end the process."""
