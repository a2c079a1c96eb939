"""tensorflow.python.distribute: the classes of strategies by their names of TensorFlow 1."""

from __future__ import annotations

import dataflow.library.distribution.strategy as _strategy
import dataflow.training.storage_strategies as _storage

CollectiveAllReduceStrategy = _storage.MultiWorkerMirroredStrategy
CollectiveAllReduceStrategyV1 = _storage.MultiWorkerMirroredStrategy
DistributionStrategy = _strategy.Strategy
MirroredStrategyV1 = _strategy.MirroredStrategy
OneDeviceStrategyV1 = _strategy.OneDeviceStrategy
ParameterServerStrategyV1 = _storage.ParameterServerStrategy
StrategyExtendedV1 = _strategy.StrategyExtended
StrategyExtendedV2 = _strategy.StrategyExtended
StrategyV1 = _strategy.Strategy
