"""The segments of a plan as the executor runs them: code, in-degrees, when values are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any

from dataflow.actors.code.codegen import Code, generate
from dataflow.actors.code.interpreter import Interpreter
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.guard_order import order_by_guard
from dataflow.actors.nodes.loop_node import LoopNode, last_uses, slots_read
from dataflow.actors.plan.segments import COSTLY, Cut

if TYPE_CHECKING:
    from dataflow.actors.nodes.plan_node import Lines, PlanNode
    from dataflow.actors.step.step import Step


class Segment:
    """Nodes that run as one, on one thread, without waiting."""

    __slots__ = ("code", "cost", "index", "is_measured", "node", "shared", "successors")

    def __init__(
        self, index: int, cost: float, is_measured: bool, successors: tuple[int, ...]
    ) -> None:
        self.index = index
        self.code: tuple[Code, ...] = ()
        self.cost = cost
        """Seconds: estimated, then a moving average of what was measured."""
        self.is_measured = is_measured
        """False if a kernel declares that it costs much: then that holds."""
        self.successors = successors
        self.node: PlanNode | None = None
        """The blocking node, which stands alone; None for straight-line code."""
        self.shared: tuple[int, ...] = ()
        """Slots it reads that other segments read too: dropped when all of them have run."""

    def run(self, step: Step, slots: list[Any]) -> None:
        """Runs the nodes and measures the time they take together."""
        start = clock()
        for code in self.code:
            if step.error is not None:
                step.check()
            code(step, slots)
        if self.is_measured:
            self.cost += 0.1 * (clock() - start - self.cost)

    @property
    def is_costly(self) -> bool:
        """True if handing it to another thread pays."""
        return self.cost >= COSTLY

    @property
    def starts_waiting(self) -> bool:
        """True if it is a blocking node, which takes no time to start."""
        return self.node is not None


class Layout:
    """A plan cut into segments. Immutable but for measured costs; steps share it."""

    __slots__ = ("in_degrees", "lines", "longest", "main", "receives", "roots", "segments", "uses")

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        predecessors: Sequence[Sequence[int]],
        cut: Cut,
        fetched: frozenset[int],
        compiled: bool,
        lines: Lines,
    ) -> None:
        """Makes the code of each segment.

        Args:
          nodes: The nodes of the plan, in an order in which they can run.
          predecessors: For each node the positions of those that it follows.
          cut: Which of them stand together.
          fetched: Slots that are read when the step is over, or by nodes that run whether they
            have been filled or not.
          compiled: Generates code; else nodes are run one by one, and measured.
          lines: Becomes `lines`; clusters write theirs there as well.
        """
        self.lines = lines
        """Of all code that is generated for it."""
        self.longest = _longest(nodes) if compiled else 1.0
        """The part of its time after which it looks at the latest whether its step was stopped."""
        self.in_degrees = cut.in_degrees
        self.uses: dict[int, int] = {}
        """How many segments read a slot, for slots that several read."""
        readers = _readers(nodes, cut)
        kept = fetched | _crossing(nodes, cut, readers)
        self.segments = tuple(
            self._segment(
                i, _members(nodes, predecessors, group), cut, readers, fetched, kept, compiled
            )
            for i, group in enumerate(cut.segments)
        )
        shared = {s: r for s, r in readers.items() if len(r) > 1 and s not in fetched}
        self.uses = {slot: len(segments) for slot, segments in shared.items()}
        by_segment: dict[int, list[int]] = {}
        for slot, segments in shared.items():
            for segment in segments:
                by_segment.setdefault(segment, []).append(slot)
        for index, slots in by_segment.items():
            self.segments[index].shared = tuple(slots)
        # Blocking nodes first: what they wait for arrives while the others run.
        roots = [s for s in self.segments if not cut.in_degrees[s.index]]
        self.roots = tuple(sorted(roots, key=lambda s: (s.node is None, s.index)))
        self.main: Segment | None = None
        """The only straight-line code, if nothing but `receives` comes before it."""
        self.receives: tuple[PlanNode, ...] = ()
        """Nodes that receive at once what the only straight-line code needs."""
        codes = [s for s in self.segments if s.node is None]
        others = [s.node for s in roots if s.node is not None and _receives(s.node)]
        if len(codes) == 1 and len(others) == len(self.segments) - 1:
            self.main, self.receives = codes[0], tuple(others)

    def _segment(
        self,
        index: int,
        members: Sequence[PlanNode],
        cut: Cut,
        readers: dict[int, set[int]],
        fetched: frozenset[int],
        kept: frozenset[int],
        compiled: bool,
    ) -> Segment:
        cost = sum(node.cost for node in members)
        is_measured = not any(node.has_declared_cost and node.cost >= COSTLY for node in members)
        segment = Segment(index, cost, is_measured, cut.successors[index])
        if members and members[0].kind is CallKind.BLOCKING:
            segment.node, segment.cost = members[0], 0.0
            return segment
        own = {slot for node in members for slot in slots_read(node) if readers[slot] == {index}}
        dropped = last_uses(members, own - fetched)
        if not compiled:
            segment.code = (Interpreter(members, dropped, self.lines).run,)
            return segment
        segment.code = generate(members, kept, dropped, self.lines)
        return segment


def _longest(nodes: Sequence[PlanNode]) -> float:
    """The part of the time of nodes that one of them takes; that of a loop varies."""
    total = sum(node.cost for node in nodes)
    if not total or any(isinstance(node, LoopNode) for node in nodes):
        return 1.0
    return max(node.cost for node in nodes) / total


def _receives(node: PlanNode) -> bool:
    return node.op in ("_Recv", "_HostRecv") and not node.guard


def _members(
    nodes: Sequence[PlanNode], predecessors: Sequence[Sequence[int]], group: Sequence[int]
) -> list[PlanNode]:
    """The nodes of a segment in the order to run them."""
    members = [nodes[i] for i in group]
    if not any(node.guard for node in members):
        return members
    place = {position: i for i, position in enumerate(group)}
    before = [[place[p] for p in predecessors[i] if p in place] for i in group]
    return order_by_guard(members, before)


def _readers(nodes: Sequence[PlanNode], cut: Cut) -> dict[int, set[int]]:
    """For each slot the segments that read it."""
    readers: dict[int, set[int]] = {}
    for index, members in enumerate(cut.segments):
        for member in members:
            for slot in slots_read(nodes[member]):
                readers.setdefault(slot, set()).add(index)
    return readers


def _crossing(nodes: Sequence[PlanNode], cut: Cut, readers: dict[int, set[int]]) -> frozenset[int]:
    """The slots that more than one segment reads or fills."""
    crossing: set[int] = set()
    makers: dict[int, int] = {}
    for index, members in enumerate(cut.segments):
        alone = {index}
        for member in members:
            for slot in nodes[member].outputs:
                if makers.setdefault(slot, index) != index or readers.get(slot, alone) != alone:
                    crossing.add(slot)
    return frozenset(crossing)
