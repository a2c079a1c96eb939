"""tensorflow.python.client.timeline: traces of steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from dataflow.proto.step_stats_pb2 import NodeExecStats, StepStats
from dataflow.training.hooks.chrome_trace import chrome_trace, described


class AllocationMaximum(NamedTuple):
    """When an allocator's tensors took most, how many bytes, and the tensors that there were."""

    timestamp: int
    num_bytes: int
    tensors: set[str]


class ChromeTrace:
    """A trace for chrome://tracing.

    Args:
      text: As JSON.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def format_to_string(self, pretty: bool = False) -> str:
        """The trace as JSON.

        Args:
          pretty: Whether it is indented.
        """
        if pretty:
            return self._text
        return json.dumps(json.loads(self._text), separators=(",", ":"))


class StepStatsAnalysis(NamedTuple):
    """What `Timeline.analyze_step_stats` finds."""

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class Timeline:
    """What a traced step tells, for chrome://tracing."""

    def __init__(self, step_stats: StepStats, graph: Any = None) -> None:
        """Takes the `step_stats` of a RunMetadata; the graph is not needed."""
        self._step_stats = step_stats

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """The trace, and with `show_memory` the most that results took of each allocator.

        A result is there from when its node begins until the last node that takes it ends.
        """
        trace = chrome_trace(self._step_stats, show_dataflow, show_memory)
        return StepStatsAnalysis(ChromeTrace(trace), self._maximums() if show_memory else {})

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The trace as JSON."""
        return chrome_trace(self._step_stats, show_dataflow, show_memory)

    def _maximums(self) -> dict[str, AllocationMaximum]:
        taken: dict[str, int] = {}
        for node in self._nodes():
            for name in described(node)[2]:
                taken[name] = max(taken.get(name, 0), _end(node) - 1)
        changes: dict[str, list[tuple[int, int, str]]] = {}
        for node in self._nodes():
            for index, output in enumerate(node.output):
                held = output.tensor_description.allocation_description
                name = f"{node.node_name}:{index}" if index else node.node_name
                end = max(_end(node), taken.get(name, 0))
                size = held.requested_bytes
                told = changes.setdefault(held.allocator_name, [])
                told += [(node.all_start_micros, size, name), (end, -size, name)]
        return {allocator: _most(sorted(told)) for allocator, told in changes.items()}

    def _nodes(self) -> Iterator[NodeExecStats]:
        for device in self._step_stats.dev_stats:
            yield from device.node_stats


def _end(node: NodeExecStats) -> int:
    return int(node.all_start_micros + node.all_end_rel_micros)


def _most(changes: list[tuple[int, int, str]]) -> AllocationMaximum:
    """The greatest of the sums of changes, in order of time."""
    total, there, most = 0, set[str](), AllocationMaximum(0, 0, set())
    for time, size, name in changes:
        total += size
        if size < 0:
            there.discard(name)
        else:
            there.add(name)
        if total > most.num_bytes:
            most = AllocationMaximum(time, total, set(there))
    return most
