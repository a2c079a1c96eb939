"""What gathers what the stages of pipelines tell of themselves."""

from __future__ import annotations

import tempfile

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor

_WAITING = 10
"""How many events wait for each other on their way to the file."""


class StatsAggregator:
    """Gathers what the stages of pipelines tell whose options name it.

    `Options.experimental_stats.aggregator` is set to it. Prefetches tell how full they are,
    parallel calls how many go on, filters how many elements they drop, functions how long they
    take, and `bytes_produced_stats` and `latency_stats` what they are for.
    """

    def __init__(self) -> None:
        """Adds what gathers to the default graph."""
        self._resource: Tensor = apply_op("StatsAggregatorHandle")

    def get_summary(self) -> Tensor:
        """All that has been told so far: a scalar string, which is a serialized `tf.Summary`."""
        made: Tensor = apply_op("StatsAggregatorSummary", self._resource)
        return made


StatsAggregatorV1 = StatsAggregator
"""Its name beside the other one."""


class StatsAggregatorV2:
    """As `StatsAggregator`, but all is written to a file of events, in a folder made for it."""

    def __init__(self) -> None:
        """Adds what gathers to the default graph; `initializer` opens the file."""
        self._resource: Tensor = apply_op("StatsAggregatorHandleV2")
        self._logdir = tempfile.mkdtemp()
        writer = apply_op("SummaryWriter")
        opened = apply_op("CreateSummaryFileWriter", writer, self._logdir, _WAITING, 120_000, ".v2")
        with scopes.control_dependencies([opened]):
            self.initializer: Operation = apply_op(
                "StatsAggregatorSetSummaryWriter", self._resource, writer
            )
