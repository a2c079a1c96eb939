"""Kernels that make, create, read and replace trees and the statistics of their leaves."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import DEFAULT_CONTAINER
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.tensor_forest.fertile_stats import FertileStats, FertileStatsResource
from dataflow.kernels.tensor_forest.parameters import read_parameters
from dataflow.kernels.tensor_forest.tree import DecisionTree, DecisionTreeResource


@kernel("DecisionTreeResourceHandleOp", device="CPU")
def tree_handle(node: KernelNode, xp: Any) -> Callable[[], DecisionTreeResource]:
    container, name, path = _names(node)
    find = node.resources.lookup_or_create
    return lambda: find(container, name, DecisionTreeResource, lambda: DecisionTreeResource(path))


@kernel("FertileStatsResourceHandleOp", device="CPU")
def stats_handle(node: KernelNode, xp: Any) -> Callable[[], FertileStatsResource]:
    container, name, path = _names(node)
    find = node.resources.lookup_or_create
    return lambda: find(container, name, FertileStatsResource, lambda: FertileStatsResource(path))


def _names(node: KernelNode) -> tuple[str, str, str]:
    """Container and name, and both for messages."""
    container, name = (os.fsdecode(node.attr(attr)) for attr in ("container", "shared_name"))
    return container, name, f"{container or DEFAULT_CONTAINER}/{name}"


@kernel("TreeIsInitializedOp", device="CPU", handle=DecisionTreeResource)
@kernel("FertileStatsIsInitializedOp", device="CPU", handle=FertileStatsResource)
def is_initialized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Any]) -> Any:
        return np.bool_(resource.is_created)

    return run


@kernel("CreateTreeVariable", device="CPU", handle=DecisionTreeResource)
def create_tree(node: KernelNode, xp: Any) -> Callable[..., None]:
    params = read_parameters(node.attr("params"))

    def run(resource: DecisionTreeResource, config: Any) -> None:
        resource.create(DecisionTree(params, _message(config, "Tree")))

    return run


@kernel("CreateFertileStatsVariable", device="CPU", handle=FertileStatsResource)
def create_stats(node: KernelNode, xp: Any) -> Callable[..., None]:
    params = read_parameters(node.attr("params"))

    def run(resource: FertileStatsResource, config: Any) -> None:
        resource.create(FertileStats(params, _message(config, "Stats")))

    return run


@kernel("TreeDeserialize", device="CPU", handle=DecisionTreeResource)
def replace_tree(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: DecisionTreeResource, config: Any) -> None:
        with resource.change() as tree:
            tree.replace(_message(config, "Tree"))

    return run


@kernel("FertileStatsDeserialize", device="CPU", handle=FertileStatsResource)
def replace_stats(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(resource: FertileStatsResource, config: Any) -> None:
        with resource.change() as stats:
            stats.replace(_message(config, "Stats"))

    return run


@kernel("TreeSerialize", device="CPU", handle=DecisionTreeResource)
@kernel("FertileStatsSerialize", device="CPU", handle=FertileStatsResource)
def serialize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Any]) -> Any:
        with resource.read() as content:
            return np.array(content.serialized(), object)

    return run


def _message(value: Any, kind: str) -> bytes:
    if np.ndim(value):
        raise invalid(f"{kind} config must be a scalar, got shape {shape_text(np.shape(value))}.")
    return bytes(np.asarray(value, object).item())
