"""What a traced step tells, in the format that chrome://tracing and Perfetto show."""

from __future__ import annotations

import json
from typing import Any

from dataflow.proto.step_stats_pb2 import DeviceStepStats, NodeExecStats, StepStats


def chrome_trace(step_stats: StepStats, show_dataflow: bool, show_memory: bool) -> str:
    """A trace as JSON: a process for each device, a row for each of its threads.

    Args:
      step_stats: Of a step that ran with `RunOptions.FULL_TRACE`.
      show_dataflow: Whether arrows go from what makes a value to what takes it.
      show_memory: Whether the bytes that each device's results take are counted.
    """
    events = chrome_events(step_stats, show_dataflow, show_memory)
    return json.dumps({"traceEvents": events}, indent=4, separators=(",", ": "))


def chrome_events(
    step_stats: StepStats, show_dataflow: bool, show_memory: bool
) -> list[dict[str, Any]]:
    """The events of a trace; see `chrome_trace`. A process's number is its device's place."""
    step_stats = _on_rows(step_stats)
    events: list[dict[str, Any]] = []
    for process, device in enumerate(step_stats.dev_stats):
        events.append(
            {"name": "process_name", "ph": "M", "pid": process, "args": {"name": device.device}}
        )
        events.extend(_duration(process, node) for node in device.node_stats)
        if show_memory:
            events.extend(_memory(process, device))
    if show_dataflow:
        events.extend(_arrows(step_stats))
    return events


def _on_rows(step_stats: StepStats) -> StepStats:
    """The same with as few rows for each device as let nothing on a row overlap."""
    copied = StepStats()
    copied.CopyFrom(step_stats)
    for device in copied.dev_stats:
        free_at: list[int] = []
        for node in sorted(device.node_stats, key=lambda each: each.all_start_micros):
            start = node.all_start_micros
            rows = (row for row, free in enumerate(free_at) if free <= start)
            row = next(rows, len(free_at))
            if row == len(free_at):
                free_at.append(0)
            free_at[row] = start + max(node.op_end_rel_micros, 1)
            node.thread_id = row
    return copied


def described(node: NodeExecStats) -> tuple[str, str, list[str]]:
    """Name, op and inputs of a node, as its label tells them: `name = Op(input, ...)`."""
    name, equals, call = node.timeline_label.partition(" = ")
    op, _, inputs = call.rstrip(")").partition("(")
    if not equals:
        return node.node_name, node.timeline_label or node.node_name, []
    return name, op, [each for each in inputs.split(", ") if each]


def _duration(process: int, node: NodeExecStats) -> dict[str, Any]:
    name, op, inputs = described(node)
    args = {f"input{index}": value for index, value in enumerate(inputs)}
    return {
        "name": op,
        "cat": "Op",
        "ph": "X",
        "pid": process,
        "tid": node.thread_id,
        "ts": node.all_start_micros,
        "dur": max(node.op_end_rel_micros, 1),
        "args": {"name": name, "op": op, **args},
    }


def _arrows(step_stats: StepStats) -> list[dict[str, Any]]:
    """From the last microsecond of each node to the start of those that take its values."""
    made = {}
    for process, device in enumerate(step_stats.dev_stats):
        for node in device.node_stats:
            made[described(node)[0]] = (process, node)
    events: list[dict[str, Any]] = []
    for taker, node in made.values():
        for value in described(node)[2]:
            source = made.get(value.lstrip("^").partition(":")[0])
            if source is None:
                continue
            maker, other = source
            # Within what it starts at: viewers round times, and what is behind its end is nowhere.
            end = other.all_start_micros + max(other.op_end_rel_micros, 1) - 1
            arrow = {"name": value, "cat": "DataFlow", "id": len(events) // 2}
            events.append({**arrow, "ph": "s", "pid": maker, "tid": other.thread_id, "ts": end})
            start = max(node.all_start_micros, end)
            events.append({**arrow, "ph": "t", "pid": taker, "tid": node.thread_id, "ts": start})
    return events


def _memory(process: int, device: DeviceStepStats) -> list[dict[str, Any]]:
    """The bytes of all results so far, after each node."""
    events, total = [], 0
    for node in sorted(device.node_stats, key=lambda each: each.all_start_micros):
        total += sum(
            output.tensor_description.allocation_description.requested_bytes
            for output in node.output
        )
        events.append(
            {
                "name": "results",
                "cat": "Memory",
                "ph": "C",
                "pid": process,
                "ts": node.all_start_micros + node.op_end_rel_micros,
                "args": {"bytes": total},
            }
        )
    return events
