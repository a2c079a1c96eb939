"""Makes the plan of a partition."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dataflow.actors.control_flow.levels import UnstructuredError
from dataflow.actors.control_flow.loop_extraction import extract_loops, is_extracted_loop
from dataflow.actors.control_flow.structure import Structure, find_structure
from dataflow.actors.fusion.pairs.pool_pairs import pair_pools
from dataflow.actors.nodes.loop_node import know_constants
from dataflow.actors.plan.builder import Builder
from dataflow.actors.plan.edges import senders
from dataflow.actors.plan.plan import Plan
from dataflow.actors.plan.segments import ALONE, Threads
from dataflow.actors.plan.structured_builder import StructuredBuilder, may_wait
from dataflow.actors.plan.tagged_layout import TaggedLayout, has_control_flow

if TYPE_CHECKING:
    from dataflow.actors.plan.device_view import DeviceView
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.passes.graphs.node_graph import NodeGraph


def make_plan(
    graph: NodeGraph, device: DeviceView, session: int, threads: Threads, options: PlanOptions
) -> Plan:
    """Binds the nodes of a partition and makes a plan of them.

    Args:
      graph: The partition; all its nodes are assigned to the device.
      device: The device.
      session: Session whose stateful kernels the plan shares.
      threads: How many threads it may use.
      options: How it is to be made.

    Raises:
      OpError: A node has no kernel, or its kernel refuses it; names the node.
    """
    takes_from = senders(graph)
    flow = has_control_flow(graph)
    structure: Structure | None = None
    if flow and options.lower_control_flow:
        waits = partial(may_wait, device=device)
        try:
            structure = find_structure(graph, waits, options.piecewise)
        except UnstructuredError:
            graph = extract_loops(graph, waits)
            flow = has_control_flow(graph)
    if structure is not None:
        bound = StructuredBuilder(graph, device, session, options, structure).build()
    else:
        whole = replace(options, piecewise=False)
        loops = {
            node.id: make_plan(node.attrs["body"], device, session, ALONE, whole)
            for node in graph.nodes()
            if is_extracted_loop(node)
        }
        bound = Builder(graph, device, session, options, loops, flow).build()
    is_tagged = flow and structure is None
    if not is_tagged:
        pair_pools(bound.nodes, bound.template)
    know_constants(bound.nodes, bound.constants)
    tagged = TaggedLayout(graph, bound) if is_tagged else None
    only_sends = not flow and not options.piecewise and _only_sends(graph)
    # Work that is only handed to a device does not overlap any better on more threads.
    usable = ALONE if device.device_type.asynchronous else threads
    return Plan(bound, tagged, only_sends, takes_from, session, usable, options)


def _only_sends(graph: NodeGraph) -> bool:
    return all(
        node.op == "_Send" or any(edge.dst is not graph.sink for edge in node.out_edges)
        for node in reversed(list(graph.nodes()))
    )
