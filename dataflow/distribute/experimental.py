"""tf.distribute.experimental: strategies that keep variables apart, or have several workers."""

import dataflow.training.storage_strategies as _strategies
from dataflow.training.storage_strategies import CentralStorageStrategy as CentralStorageStrategy
from dataflow.training.storage_strategies import (
    CommunicationImplementation as CommunicationImplementation,
)
from dataflow.training.storage_strategies import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from dataflow.training.storage_strategies import ParameterServerStrategy as ParameterServerStrategy

CollectiveCommunication = _strategies.CommunicationImplementation
