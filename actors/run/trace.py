"""What a traced step records, as messages and as TensorFlow's StepStats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.wire.messages import NodeTiming
from dataflow.proto.step_stats_pb2 import NodeExecStats, StepStats
from dataflow.values import dtypes

if TYPE_CHECKING:
    from dataflow.actors.nodes.plan_node import PlanNode

Record = tuple["PlanNode", float, float, Any]
"""A node, when it started and ended by `perf_counter`, and what it returned."""


def to_timings(records: Iterable[Record]) -> tuple[NodeTiming, ...]:
    """The records of a step with times of the day and without values."""
    offset = time() - perf_counter()
    return tuple(
        NodeTiming(
            name=node.name,
            op=node.op,
            start=start + offset,
            end=end + offset,
            inputs=node.sources,
            outputs=tuple(_describe_outputs(node, result)),
        )
        for node, start, end, result in sorted(records, key=lambda record: record[1])
    )


def aligned(timings: Sequence[NodeTiming], asked: float, answered: float) -> Sequence[NodeTiming]:
    """The timings of a device by the clock of who asked it for the step.

    All of them lie between the question and the answer. Where the device's clock says otherwise, it
    differs: by as much as puts them in the middle, as if both messages took the same time.

    Args:
      timings: By the device's clock.
      asked: When it was asked, by the session's.
      answered: When its answer came.
    """
    if not timings:
        return timings
    first, last = min(each.start for each in timings), max(each.end for each in timings)
    if first >= asked - _SAME and last <= answered + _SAME:
        return timings
    shift = (asked + answered - first - last) / 2
    return tuple(replace(each, start=each.start + shift, end=each.end + shift) for each in timings)


_SAME: Final = 50e-6
"""By how much one machine's clock differs from itself in two processes."""


def add_step_stats(stats: StepStats, device: str, timings: Sequence[NodeTiming]) -> None:
    """Adds a device's timings to the statistics of a step."""
    device_stats = stats.dev_stats.add(device=device)
    kind, _, index = device.rpartition("device:")[2].partition(":")
    # By the names that TensorFlow's allocators have.
    allocator = "cpu" if kind == "CPU" else f"{kind}_{index}_bfc"
    for timing in timings:
        start = round(timing.start * 1e6)
        duration = round((timing.end - timing.start) * 1e6)
        node_stats = device_stats.node_stats.add(
            node_name=timing.name,
            all_start_micros=start,
            op_end_rel_micros=duration,
            all_end_rel_micros=duration,
            scheduled_micros=start,
            timeline_label=f"{timing.name} = {timing.op}({', '.join(timing.inputs)})",
        )
        for output in timing.outputs:
            _add_output(node_stats, allocator, *output)


def _describe_outputs(
    node: PlanNode, result: Any
) -> Iterable[tuple[int, str, tuple[int, ...], int]]:
    values = result if len(node.outputs) > 1 else (result,)
    for index, value in enumerate(values if isinstance(values, (tuple, list)) else ()):
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        if dtype is None or shape is None:
            continue
        try:
            name = dtypes.as_dtype(dtype).name
        except TypeError:
            continue
        yield index, name, tuple(map(int, shape)), int(getattr(value, "nbytes", 0))


def _add_output(
    stats: NodeExecStats,
    allocator: str,
    slot: int,
    dtype: str,
    shape: Sequence[int],
    size: int,
) -> None:
    output = stats.output.add(slot=slot)
    description = output.tensor_description
    description.dtype = dtypes.as_dtype(dtype).as_datatype_enum  # type: ignore[assignment]
    for length in shape:
        description.shape.dim.add(size=length)
    description.allocation_description.requested_bytes = size
    description.allocation_description.allocator_name = allocator
