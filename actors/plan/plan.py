"""A partition of one device as a Plan: its segments, cut anew once it is known what nodes take."""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Final

from dataflow.actors.fusion.compiled.clusters import compile_clusters
from dataflow.actors.fusion.merged_nodes import Arrangement, merge_all
from dataflow.actors.fusion.pairs.layers import merge_layers
from dataflow.actors.fusion.pairs.partial_products import take_parts
from dataflow.actors.fusion.pairs.product_sums import join_products
from dataflow.actors.fusion.shape_arithmetic import remember_shapes
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.plan.layout import Layout
from dataflow.actors.plan.segments import Cut, Threads, cut
from dataflow.kernels.threads.contest import Contest

if TYPE_CHECKING:
    from dataflow.actors.plan.bound_graph import BoundGraph
    from dataflow.actors.plan.tagged_layout import TaggedLayout
    from dataflow.actors.wire.messages import PlanOptions

_YIELD: Final = 0.95
"""How much of its time a thread that helps is of use."""
_SHARE: Final = 0.95
"""The layout with several segments takes at most so much of the other's time, or it is not worth
the cores."""
QUICK: Final = 0.05
"""Seconds up to which a plan is a quick one,"""
_GLANCE: Final = 0.2
"""or up to which each of its nodes takes, if it looks between them whether the step goes on."""
_MEASURED_RUNS: Final = 2
"""Runs that measure each node, before code is generated."""


class Plan:
    """What one device runs in a step of one signature."""

    def __init__(
        self,
        bound: BoundGraph,
        tagged_layout: TaggedLayout | None,
        only_sends: bool,
        senders: frozenset[str],
        session: int,
        threads: Threads,
        options: PlanOptions,
    ) -> None:
        """Makes the plan of a partition that was bound, and cuts it into segments.

        Args:
          bound: The partition.
          tagged_layout: For the tagged executor, if that runs the plan.
          only_sends: Whatever a node computes is sent, itself or what is computed from it.
          senders: The devices, by full name, whose values it takes.
          session: Session whose stateful kernels the plan shares.
          threads: How many threads it may use.
          options: How it is to be made. Of a piecewise plan the feeds arrive one by one while the
            step runs, and the fetches are handed out one by one.
        """
        self.session = session
        self.template = bound.template
        self.feeds = tuple(bound.feeds)
        """Indices of the feeds in the signature."""
        self.feed_places = tuple(bound.feeds.values())
        """Slot of each of them, and what takes it to where the device wants it."""
        self.fetches = bound.fetches
        self.late_feeds = bound.late_feeds
        self.late_fetches = bound.late_fetches
        self.retained = bound.retained
        self.last_reads = bound.last_reads
        self.uncertain = tuple((i, s) for i, s in bound.fetches.items() if s in bound.uncertain)
        """Of the fetches that a step may leave dead: index and slot."""
        self.nodes = bound.nodes
        self.only_sends = only_sends
        self.senders = senders
        self.options = options
        self.concurrent = threads.segments > 1
        """Costly nodes can run at the same time as others."""
        self.tagged_layout = tagged_layout
        self.tagged = tagged_layout is not None
        """True if the tagged executor runs the plan; then there are no segments."""
        self._predecessors = bound.predecessors
        self._fetched = frozenset(bound.fetches.values()) | bound.uncertain
        self._constants = frozenset(bound.constants)
        self._threads = threads
        self._nothing_merged = Arrangement(self.nodes, self._predecessors, self._fetched, {})
        self._arranged = self._merged_at_once()
        """The nodes of which the first runs run each."""
        self._lock = threading.Lock()
        self._runs = 0
        self._contest: Contest[Layout] | None = None
        """Goes on while it is not known which layout is the fastest."""
        self.is_quick = False
        """True if its last run took so short a time, or could have been stopped so soon, that its
        caller may see to it: another thread has other memory, where large arrays are new pages."""
        self.measuring = not self.tagged
        """True while runs measure the nodes or layouts; then `note_run` wants to know of each.
        Kept, not derived: each step asks."""
        self.layout = self._lay_out(False, threads.segments)
        self.is_straight = _is_straight(self.layout)
        """True if the plan is one segment of straight-line code."""
        self._by_node: Layout | None = None

    def traced_layout(self) -> Layout:
        """The layout that runs nodes one by one, for traces."""
        if self._by_node is None:
            self._by_node = self._lay_out_nodes(self._nothing_merged, False, self._threads.segments)
        return self._by_node

    def _merged_at_once(self) -> Arrangement:
        """The nodes, merged where this changes how results are rounded: no run may do without."""
        if self.tagged or not self.options.fuses:
            return self._nothing_merged
        layers = functools.partial(merge_layers, kept_bytes=self.options.kept_bytes)
        return merge_all(self._nothing_merged, (layers, take_parts, join_products))

    def note_time(self, layout: Layout, seconds: float) -> None:
        """Takes note of a run: its layout, and how long it took."""
        self.is_quick = seconds < QUICK or seconds * layout.longest < _GLANCE
        if self.measuring:
            self.note_run(layout, seconds)

    def note_run(self, layout: Layout, seconds: float) -> None:
        """Counts a run; once the nodes are measured, cuts the plan anew and generates its code.

        Args:
          layout: The layout that has run.
          seconds: How long.
        """
        if not self._lock.acquire(blocking=False):
            # Another run makes code of the plan, which takes a while: this one need not wait.
            return
        try:
            self._count_run(layout, seconds)
        finally:
            self._lock.release()

    def _count_run(self, layout: Layout, seconds: float) -> None:
        # Counted at the end: what is interrupted is done by the next run.
        runs = self._runs + 1
        if self._contest is not None:
            winner = self._contest.note(layout, seconds)
            if winner is None:
                self.layout = self._contest.next
            else:
                self._contest = None
                self._choose(winner)
        elif runs == _MEASURED_RUNS:
            apart = self._lay_out(True, self._threads.segments)
            self._choose(apart)
            segments = apart.segments
            # What a kernel says that it costs, holds; and who waits must not wait in line.
            if len(segments) > 1 and all(s.is_measured and s.node is None for s in segments):
                self._contest = Contest(apart, self._lay_out(True, 1), _SHARE)
        self._runs = runs
        self.measuring = runs < _MEASURED_RUNS or self._contest is not None

    def _choose(self, layout: Layout) -> None:
        # A thread that reads the two one after the other must not take a plan for a straight one
        # that is not.
        self.is_straight = self.is_straight and _is_straight(layout)
        self.layout = layout
        self.is_straight = _is_straight(layout)

    def _lay_out(self, compiled: bool, segments: int) -> Layout:
        """Lays the plan out for so many segments at the same time."""
        arranged = self._arranged
        if compiled and self.options.fuses:
            arranged = merge_all(arranged, (remember_shapes, compile_clusters))
        return self._lay_out_nodes(arranged, compiled, segments)

    def _lay_out_nodes(self, arranged: Arrangement, compiled: bool, segments: int) -> Layout:
        if self.tagged:
            return Layout((), (), Cut((), (), ()), frozenset(), compiled, {})
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


def _is_straight(layout: Layout) -> bool:
    return layout.main is not None and not layout.receives
