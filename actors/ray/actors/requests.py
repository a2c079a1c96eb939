"""What all masters do with the requests of sessions: those about graphs, and whom they may see."""

from __future__ import annotations

from collections.abc import Sequence

from dataflow.actors.cores.master import MasterCore
from dataflow.actors.ray.links.calls import Handlers, parse_graph
from dataflow.actors.wire.messages import (
    ExtendSession,
    Graphs,
    PartitionGraphs,
    PrepareStep,
    ReleaseStep,
    StepPlan,
)
from dataflow.errors import InvalidArgumentError
from dataflow.runtime.signature import StepSignature
from dataflow.values.devices import parse


def graph_handlers(core: MasterCore) -> Handlers:
    """What serves the requests about a session's graph and the steps on it."""

    def extend(message: ExtendSession) -> None:
        core.extend_session(message.session, parse_graph(message.graph))

    def prepare(message: PrepareStep) -> StepPlan:
        signature = _signature(message)
        return core.prepare(message.session, signature, message.piecewise, message.renewed)

    def release(message: ReleaseStep) -> None:
        core.release(message.session, _signature(message), message.piecewise)

    def partition_graphs(message: PartitionGraphs) -> Graphs:
        graphs = core.partition_graphs(message.session, _signature(message))
        return Graphs(tuple(graph.SerializeToString() for graph in graphs))

    return {
        ExtendSession: extend,
        PrepareStep: prepare,
        ReleaseStep: release,
        PartitionGraphs: partition_graphs,
    }


def is_visible(name: str, home: str, filters: Sequence[str]) -> bool:
    """Whether a session may use a task or device.

    Args:
      name: Its full name.
      home: The master's task, which is always seen.
      filters: `ConfigProto.device_filters`. One fits where every field that both name is the same.

    Raises:
      InvalidArgumentError: A filter is malformed.
    """
    if not filters or name == home or name.startswith(f"{home}/"):
        return True
    fields = parse(name)
    try:
        wanted = [parse(text) for text in filters]
    except ValueError as error:
        raise InvalidArgumentError(None, None, f"Malformed device filter: {error}") from error
    return any(
        all(a is None or b is None or a == b for a, b in zip(fields, other, strict=True))
        for other in wanted
    )


def _signature(message: PrepareStep | ReleaseStep | PartitionGraphs) -> StepSignature:
    return StepSignature(
        message.feeds,
        message.fetches,
        message.targets,
        connections=message.connections,
        watches=message.watches,
    )
