"""tf.distribute: strategies of one replica, the server of a task, and what finds clusters."""

from dataflow.distribute import cluster_resolver as cluster_resolver
from dataflow.distribute import experimental as experimental
from dataflow.library.distribution.context import ReduceOp as ReduceOp
from dataflow.library.distribution.context import ReplicaContext as ReplicaContext
from dataflow.library.distribution.context import (
    experimental_set_strategy as experimental_set_strategy,
)
from dataflow.library.distribution.context import get_loss_reduction as get_loss_reduction
from dataflow.library.distribution.context import get_replica_context as get_replica_context
from dataflow.library.distribution.context import get_strategy as get_strategy
from dataflow.library.distribution.context import has_strategy as has_strategy
from dataflow.library.distribution.context import (
    in_cross_replica_context as in_cross_replica_context,
)
from dataflow.library.distribution.cross_device import CrossDeviceOps as CrossDeviceOps
from dataflow.library.distribution.cross_device import (
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
)
from dataflow.library.distribution.cross_device import NcclAllReduce as NcclAllReduce
from dataflow.library.distribution.cross_device import ReductionToOneDevice as ReductionToOneDevice
from dataflow.library.distribution.strategy import InputContext as InputContext
from dataflow.library.distribution.strategy import InputReplicationMode as InputReplicationMode
from dataflow.library.distribution.strategy import MirroredStrategy as MirroredStrategy
from dataflow.library.distribution.strategy import OneDeviceStrategy as OneDeviceStrategy
from dataflow.library.distribution.strategy import Strategy as Strategy
from dataflow.library.distribution.strategy import StrategyExtended as StrategyExtended
from dataflow.session.server import Server as Server
