"""A partition of one device as a Plan: its nodes bound to kernels, its values in slots."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.control_flow.loop_extraction import extract_loops
from dataflow.actors.control_flow.structure import UnstructuredError, find_structure
from dataflow.actors.fusion.large.clusters import fuse
from dataflow.actors.fusion.merged_nodes import Arrangement, merge_all
from dataflow.actors.fusion.pairs.epilogues import finish_results
from dataflow.actors.fusion.pairs.joined_sums import join_sums
from dataflow.actors.fusion.pairs.partial_products import take_parts
from dataflow.actors.fusion.pairs.pool_pairs import pair_pools
from dataflow.actors.fusion.pairs.pooled_masks import mask_before_pooling
from dataflow.actors.fusion.shape_arithmetic import remember_shapes
from dataflow.actors.fusion.small.clusters import fuse_small
from dataflow.actors.nodes.loop_node import know_constants
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.actors.plan.binding import Adapter, CallKind, DeviceView
from dataflow.actors.plan.builder import PlanBuilder
from dataflow.actors.plan.layout import Layout
from dataflow.actors.plan.segments import ALONE, Cut, Threads, cut
from dataflow.actors.plan.structured_builder import StructuredBuilder, may_wait
from dataflow.actors.plan.tagged_layout import TaggedLayout, has_control_flow
from dataflow.actors.wire.messages import PlanOptions
from dataflow.kernels.threads.contest import Contest

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import NodeGraph

_YIELD: Final = 0.95
"""How much of its time a thread that helps is of use."""
_SHARE: Final = 0.95
"""The layout with several segments takes at most so much of the other's time, or it is not worth
the cores."""
_MEASURED_RUNS: Final = 2
"""Runs that measure each node, before code is generated."""


class Plan:
    """What one device runs in a step of one signature."""

    def __init__(
        self,
        graph: NodeGraph,
        device: DeviceView,
        session: int,
        threads: Threads,
        options: PlanOptions,
    ) -> None:
        """Binds the nodes of a partition and cuts them into segments.

        Args:
          graph: The partition; all its nodes are assigned to the device.
          device: The device.
          session: Session whose stateful kernels the plan shares.
          threads: How many threads it may use.
          options: How it is to be made. Of a piecewise plan the feeds arrive one by one while the
            step runs, and the fetches are handed out one by one.

        Raises:
          OpError: A node has no kernel, or its kernel refuses it; names the node.
        """
        self.session = session
        self.template: list[Any] = []
        """The slots at the start of a step: constants in their places."""
        self.feeds: dict[int, int] = {}
        """Slot of each feed, by its index in the signature."""
        self.feed_adapters: dict[int, Adapter] = {}
        """What takes a feed to where the device wants it, by its index."""
        self.fetches: dict[int, int] = {}
        """Slot of each fetch, by its index in the signature."""
        self.late_feeds: tuple[int, ...] = ()
        """Indices of the feeds that arrive while the step runs."""
        self.late_fetches: tuple[int, ...] = ()
        """Indices of the fetches that are handed out while the step runs."""
        self.retained: set[int] = set()
        """Fetches that something else may hold on to, by index: they are copied for the user."""
        self.nodes: list[PlanNode] = []
        self.options = options
        """How it was made."""
        self._lock = threading.Lock()
        self._runs = 0
        # Work that is only handed to a device does not overlap any better on more threads.
        self._threads = ALONE if device.device_type.asynchronous else threads
        self.concurrent = self._threads.segments > 1
        """Costly nodes can run at the same time as others."""
        self.uncertain: tuple[tuple[int, int], ...] = ()
        """Of the fetches that a step may leave dead: index and slot."""
        flow = has_control_flow(graph)
        builder: PlanBuilder | None = None
        read_anyway: set[int] = set()
        if flow and options.lower_control_flow:
            waits = partial(may_wait, device=device)
            try:
                structure = find_structure(graph, waits, options.piecewise)
                builder = structured = StructuredBuilder(self, graph, device, structure)
                read_anyway = structured.uncertain
            except UnstructuredError:
                graph = extract_loops(graph, waits)
                flow = has_control_flow(graph)
        if builder is None:
            builder = PlanBuilder(self, graph, device, options.piecewise, flow)
        self.only_sends = not flow and not options.piecewise and _only_sends(graph)
        """Whatever a node computes is sent, itself or what is computed from it."""
        self._predecessors = builder.build()
        adapters = self.feed_adapters
        self.feed_places = tuple((slot, adapters.get(i)) for i, slot in self.feeds.items())
        """Slot and adapter of each feed, in the order of `feeds`."""
        pair_pools(self.nodes, self.template)
        self._constants = frozenset(builder.constant_slots)
        know_constants(self.nodes, {slot: self.template[slot] for slot in self._constants})
        # In the order of the signature, so that a lone device's fetches need no sorting.
        self.fetches = dict(sorted(self.fetches.items()))
        self._fetched = frozenset(self.fetches.values()) | read_anyway
        self.uncertain = tuple((i, s) for i, s in self.fetches.items() if s in read_anyway)
        self.tagged = flow and not isinstance(builder, StructuredBuilder)
        """True if the tagged executor runs the plan; then there are no segments."""
        self.tagged_layout: TaggedLayout | None = None
        if self.tagged:
            self.tagged_layout = TaggedLayout(
                graph, builder.bound, builder.given, builder.constants, self.template
            )
        self._contest: Contest[Layout] | None = None
        """Goes on while it is not known which layout is the fastest."""
        self.measuring = not self.tagged
        """True while runs measure the nodes or layouts; then `note_run` wants to know of each.
        Kept, not derived: each step asks."""
        self.layout = self._lay_out(False, self._threads.segments)
        self.is_straight = _is_straight(self.layout)
        """True if the plan is one segment of straight-line code."""
        self._by_node = self.layout

    def traced_layout(self) -> Layout:
        """The layout that runs nodes one by one, for traces."""
        return self._by_node

    def note_run(self, layout: Layout, seconds: float) -> None:
        """Counts a run; once the nodes are measured, cuts the plan anew and generates its code.

        Args:
          layout: The layout that has run.
          seconds: How long.
        """
        with self._lock:
            self._runs += 1
            if self._contest is not None:
                winner = self._contest.note(layout, seconds)
                if winner is None:
                    self.layout = self._contest.next
                else:
                    self._contest = None
                    self._choose(winner)
            elif self._runs == _MEASURED_RUNS:
                apart = self._lay_out(True, self._threads.segments)
                self._choose(apart)
                segments = apart.segments
                # What a kernel says that it costs, holds; and who waits must not wait in line.
                if len(segments) > 1 and all(s.is_measured and s.node is None for s in segments):
                    self._contest = Contest(apart, self._lay_out(True, 1), _SHARE)
            self.measuring = self._runs < _MEASURED_RUNS or self._contest is not None

    def _choose(self, layout: Layout) -> None:
        # A thread that reads the two one after the other must not take a plan for a straight one
        # that is not.
        self.is_straight = self.is_straight and _is_straight(layout)
        self.layout = layout
        self.is_straight = _is_straight(layout)

    def _lay_out(self, compiled: bool, segments: int) -> Layout:
        """Lays the plan out for so many segments at the same time."""
        if self.tagged:
            return Layout((), (), Cut((), (), ()), frozenset(), compiled, {})
        arranged = Arrangement(self.nodes, self._predecessors, self._fetched, {})
        if compiled and self.options.fuses:
            merges = (remember_shapes, mask_before_pooling, take_parts, join_sums)
            arranged = merge_all(arranged, (*merges, finish_results, fuse, fuse_small))
        nodes, predecessors = arranged.nodes, arranged.predecessors
        blocking = [node.kind is CallKind.BLOCKING for node in nodes]
        threads = self._threads
        costs = [node.cost + node.saved for node in nodes]
        part = 1.0 - 1.0 / (threads.kernel * _YIELD) if threads.kernel > 1 else 0.0
        helped = [c - n.divisible * part for c, n in zip(costs, nodes, strict=True)]
        groups = cut(predecessors, blocking, costs, segments, helped)
        # Constants outlive the step: nothing is won by dropping them.
        kept = self._fetched | self._constants
        return Layout(nodes, predecessors, groups, kept, compiled, arranged.lines)


def _only_sends(graph: NodeGraph) -> bool:
    return all(
        node.op == "_Send" or any(edge.dst is not graph.sink for edge in node.out_edges)
        for node in reversed(list(graph.nodes()))
    )


def _is_straight(layout: Layout) -> bool:
    return layout.main is not None and not layout.receives
