"""tf.contrib.distribute: strategies of one replica, by their older names."""

import typing as _typing

import dataflow.contrib.absent as _absent
import dataflow.library.distribution.cross_device as _cross_device
import dataflow.library.distribution.strategy as _strategy
from dataflow.contrib.distribute.mirrored import MirroredStrategy as MirroredStrategy
from dataflow.library.distribution.context import ReplicaContext as ReplicaContext
from dataflow.library.distribution.context import get_loss_reduction as get_loss_reduction
from dataflow.library.distribution.context import get_replica_context as get_replica_context
from dataflow.library.distribution.context import get_strategy as get_strategy
from dataflow.library.distribution.context import has_strategy as has_strategy
from dataflow.library.distribution.context import (
    in_cross_replica_context as in_cross_replica_context,
)
from dataflow.library.distribution.cross_device import CrossDeviceOps as CrossDeviceOps
from dataflow.library.distribution.strategy import OneDeviceStrategy as OneDeviceStrategy

AllReduceCrossDeviceOps = _cross_device.NcclAllReduce
DistributionStrategy = _strategy.Strategy
DistributionStrategyExtended = _strategy.StrategyExtended
ReductionToOneDeviceCrossDeviceOps = _cross_device.ReductionToOneDevice
get_distribution_strategy = get_strategy
has_distribution_strategy = has_strategy

if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        if name in ("CollectiveAllReduceStrategy", "ParameterServerStrategy", "TPUStrategy"):
            return _absent.Absent(f"tf.contrib.distribute.{name}", "strategies have one replica")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
