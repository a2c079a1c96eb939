"""Binds a loop that is one node of its plan: its body is a plan of its own, run on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any

from dataflow.actors.code.failure import describe_failure
from dataflow.actors.nodes.binding import Binding, CallKind
from dataflow.actors.plan.device_view import DeviceView
from dataflow.actors.plan.sources import Source, value_adapter

if TYPE_CHECKING:
    from dataflow.actors.plan.plan import Plan
    from dataflow.actors.step.step import Step
    from dataflow.passes.graphs.node_graph import Node


def bind_loop(node: Node, sources: Sequence[Source], device: DeviceView, plan: Plan) -> Binding:
    """Binds a node made by `extract_loops`.

    Args:
      node: The node.
      sources: Where the values come from that enter the loop.
      device: The device.
      plan: The plan of the body.
    """
    places = dict(zip(plan.feeds, plan.feed_places, strict=True))
    feeds = [places[index][0] for index in range(len(sources))]
    fetches = list(plan.fetches.values())
    name = device.name

    def run(step: Step, *values: Any) -> Any:
        slots = plan.template.copy()
        for slot, value in zip(feeds, values, strict=True):
            slots[slot] = value
        del values
        layout = plan.layout if step.trace is None else plan.traced_layout()
        start = clock()
        try:
            layout.segments[0].run(step, slots)
        except BaseException as error:
            described = describe_failure(error, layout.lines, name)
            if described is error:
                raise
            raise described from described.__cause__
        if plan.measuring:
            plan.note_run(layout, clock() - start)
        results = [slots[slot] for slot in fetches]
        return results[0] if len(results) == 1 else results

    in_host = device.device_type.keeps_in_host_memory
    adapters = tuple(
        value_adapter(source, in_host(dtype), device)
        for source, dtype in zip(sources, node.input_types, strict=True)
    )
    return Binding(run, CallKind.STEP, adapters, (True,) * len(fetches))
