"""Several traced steps on one timeline, as a file for Perfetto and chrome://tracing."""

from __future__ import annotations

import json
import os
from types import TracebackType
from typing import Any

from dataflow.proto.config_pb2 import RunMetadata
from dataflow.proto.step_stats_pb2 import StepStats
from dataflow.training.hooks.chrome_trace import chrome_events
from dataflow.values.system_errors import system_errors


class TraceWriter:
    """Collects traced steps of all devices and writes them to one file when it is closed.

    Each device is a row of its own; on Ray those of all actors stand beside each other, by the
    session's clock. A row above them names the steps.

    ```python
    with tf.profiler.TraceWriter("trace.json") as traces:
        for step in range(10):
            metadata = tf.RunMetadata()
            session.run(train, options=options, run_metadata=metadata)
            traces.add_step(step, metadata)
    ```
    """

    def __init__(self, path: Any, show_dataflow: bool = True, show_memory: bool = False) -> None:
        """Makes a writer.

        Args:
          path: The file, which `close` writes; one that is there is replaced.
          show_dataflow: Whether arrows go from what makes a value to what takes it.
          show_memory: Whether the bytes that results take are counted.
        """
        self._path = os.fspath(path)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._steps: list[tuple[int, StepStats]] = []

    def add_step(self, step: int, run_metadata: RunMetadata) -> None:
        """Takes what a step told that ran with `RunOptions(trace_level=FULL_TRACE)`.

        Raises:
          ValueError: It was not traced.
        """
        if not run_metadata.step_stats.dev_stats:
            raise ValueError(
                f"Step {step} was not traced: run it with "
                "tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE) and a run_metadata."
            )
        stats = StepStats()
        stats.CopyFrom(run_metadata.step_stats)
        self._steps.append((step, stats))

    def to_json(self) -> str:
        """The steps so far, in the trace event format."""
        processes: dict[str, int] = {}
        events: list[dict[str, Any]] = []
        arrows = 0
        for step, stats in self._steps:
            for device in stats.dev_stats:
                processes.setdefault(device.device, len(processes) + 1)
            made = chrome_events(stats, self._show_dataflow, self._show_memory)
            for event in made:
                if "pid" in event:
                    event["pid"] = processes[stats.dev_stats[event["pid"]].device]
                if "id" in event:
                    event["id"] += arrows
                if event["ph"] == "X":
                    event["args"]["step"] = step
            arrows += sum(event["ph"] == "s" for event in made)
            events += (event for event in made if event["ph"] != "M")
            events += _whole_step(step, stats)
        names = [("steps", 0), *processes.items()]
        described = [
            {"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": name}}
            for name, pid in names
        ] + [
            {"name": "process_sort_index", "ph": "M", "pid": pid, "tid": 0}
            | {"args": {"sort_index": pid}}
            for _, pid in names
        ]
        return json.dumps({"traceEvents": described + events, "displayTimeUnit": "ms"})

    def close(self) -> None:
        """Writes the file.

        Raises:
          NotFoundError: Its folder does not exist.
        """
        with system_errors(), open(self._path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Writes the file, also of a loop that failed."""
        self.close()


def _whole_step(step: int, stats: StepStats) -> list[dict[str, Any]]:
    nodes = [node for device in stats.dev_stats for node in device.node_stats]
    if not nodes:
        return []
    start = min(node.all_start_micros for node in nodes)
    end = max(node.all_start_micros + node.all_end_rel_micros for node in nodes)
    event = {"name": f"step {step}", "cat": "Step", "ph": "X", "pid": 0, "tid": 0}
    return [{**event, "ts": start, "dur": max(end - start, 1), "args": {"step": step}}]
