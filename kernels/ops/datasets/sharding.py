"""Kernel that divides a pipeline among workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset, as_dataset
from dataflow.kernels.datasets.sharding.automatic import divided
from dataflow.kernels.ops.datasets.arguments import check_components, described, number


@kernel("AutoShardDataset", "ExperimentalAutoShardDataset", device="CPU")
def auto_shard_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    policy = node.attr("auto_shard_policy")
    replicas = node.attr("num_replicas") if node.op == "AutoShardDataset" else 0

    def run(source: Any, num_workers: Any, index: Any) -> Dataset:
        count, place = number(num_workers, "num_workers"), number(index, "index")
        if count <= 0:
            raise invalid("num_workers must be greater than zero.")
        if not 0 <= place < count:
            raise invalid(f"index must be between 0 and {count - 1}")
        dataset = as_dataset(source)
        check_components(described(node), dataset, node.op)
        return divided(dataset, policy, count, place, replicas)

    return run
