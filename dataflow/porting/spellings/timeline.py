"""tensorflow.python.client.timeline: traces of steps."""

from __future__ import annotations

from typing import Any

from dataflow.proto.step_stats_pb2 import StepStats
from dataflow.training.hooks.chrome_trace import chrome_trace


class Timeline:
    """What a traced step tells, for chrome://tracing."""

    def __init__(self, step_stats: StepStats, graph: Any = None) -> None:
        """Takes the `step_stats` of a RunMetadata; the graph is not needed."""
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The trace as JSON."""
        return chrome_trace(self._step_stats, show_dataflow, show_memory)
