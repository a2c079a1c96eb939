"""tf.contrib.distribute: strategies of one replica, by the names they had first."""

from __future__ import annotations

from typing import Any

import dataflow.library.distribution.strategy as _strategy
from dataflow.library.distribution.context import ReplicaContext as ReplicaContext
from dataflow.library.distribution.context import get_loss_reduction as get_loss_reduction
from dataflow.library.distribution.context import get_replica_context as get_replica_context
from dataflow.library.distribution.context import get_strategy as get_strategy
from dataflow.library.distribution.context import has_strategy as has_strategy
from dataflow.library.distribution.context import (
    in_cross_replica_context as in_cross_replica_context,
)

DistributionStrategy = _strategy.Strategy
DistributionStrategyExtended = _strategy.StrategyExtended
OneDeviceStrategy = _strategy.OneDeviceStrategy
get_distribution_strategy = get_strategy
has_distribution_strategy = has_strategy


class MirroredStrategy(_strategy.MirroredStrategy):
    """`tf.distribute.MirroredStrategy`, which had more arguments here.

    Args:
      devices: The device, or a list of it; None for any.
      num_gpus: How many GPUs there are to be, if no devices are given: at most one.
      num_gpus_per_worker: The same.
      cross_device_ops: How the replicas' values are reduced: one replica's are as they are.
      auto_shard_dataset: Whether each worker has a part of the data: one has it all.
      cross_tower_ops: As `cross_device_ops`.

    Raises:
      ValueError: Both numbers of GPUs are given.
      NotImplementedError: There are several devices.
    """

    def __init__(
        self,
        devices: Any = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        gpus = num_gpus or num_gpus_per_worker
        if devices is None and gpus:
            devices = [f"/device:GPU:{index}" for index in range(gpus)]
        super().__init__(devices)
