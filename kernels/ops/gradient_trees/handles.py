"""Kernels that make handles of resources, and say whether there is something behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import DEFAULT_CONTAINER
from dataflow.kernels.gradient_trees.ensemble import EnsembleResource
from dataflow.kernels.gradient_trees.statistics import ScalarStatistics, TensorStatistics
from dataflow.kernels.gradient_trees.streams import StampedStreamResource

_KINDS: Final[dict[str, type[Created[Any]]]] = {
    "DecisionTreeEnsembleResourceHandleOp": EnsembleResource,
    "QuantileStreamResourceHandleOp": StampedStreamResource,
    "StatsAccumulatorScalarResourceHandleOp": ScalarStatistics,
    "StatsAccumulatorTensorResourceHandleOp": TensorStatistics,
}


@kernel(*_KINDS, device="CPU")
def handle(node: KernelNode, xp: Any) -> Callable[[], Any]:
    container, name = (os.fsdecode(node.attr(attr)) for attr in ("container", "shared_name"))
    path, kind = f"{container or DEFAULT_CONTAINER}/{name}", _KINDS[node.op]
    find = node.resources.lookup_or_create
    return lambda: find(container, name, kind, lambda: kind(path))


@kernel("TreeEnsembleIsInitializedOp", device="CPU", handle=EnsembleResource)
@kernel("QuantileAccumulatorIsInitialized", device="CPU", handle=StampedStreamResource)
@kernel("StatsAccumulatorScalarIsInitialized", device="CPU", handle=ScalarStatistics)
@kernel("StatsAccumulatorTensorIsInitialized", device="CPU", handle=TensorStatistics)
def is_initialized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(resource: Created[Any]) -> Any:
        return np.bool_(resource.is_created)

    return run
