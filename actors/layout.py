"""The segments of a plan as the executor runs them: code, in-degrees, when values are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors import codegen
from dataflow.actors.binding import CallKind
from dataflow.actors.segments import COSTLY, Cut

if TYPE_CHECKING:
    from dataflow.actors.plan import PlanNode
    from dataflow.actors.step import Step

_STOP_AFTER: Final = 1e-3
"""Seconds from which a node is followed by a look whether the step was cancelled."""


class Segment:
    """Nodes that run as one, on one thread, without waiting."""

    __slots__ = ("code", "cost", "index", "is_measured", "node", "shared", "successors")

    def __init__(
        self, index: int, cost: float, is_measured: bool, successors: tuple[int, ...]
    ) -> None:
        self.index = index
        self.code: tuple[codegen.Code, ...] = ()
        self.cost = cost
        """Seconds: estimated, then a moving average of what was measured."""
        self.is_measured = is_measured
        """False if a kernel declares what it costs: then that holds."""
        self.successors = successors
        self.node: PlanNode | None = None
        """The blocking node, which stands alone; None for straight-line code."""
        self.shared: tuple[int, ...] = ()
        """Slots it reads that other segments read too: dropped when all of them have run."""

    def run(self, step: Step, slots: list[Any]) -> None:
        """Runs the nodes and measures the time they take together."""
        start = codegen.clock()
        for code in self.code:
            if step.error is not None:
                step.check()
            code(step, slots)
        if self.is_measured:
            self.cost += 0.1 * (codegen.clock() - start - self.cost)

    @property
    def is_costly(self) -> bool:
        """True if handing it to another thread pays."""
        return self.cost >= COSTLY


class Layout:
    """A plan cut into segments. Immutable but for measured costs; steps share it."""

    __slots__ = ("in_degrees", "lines", "roots", "segments", "uses")

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        cut: Cut,
        fetched: frozenset[int],
        compiled: bool,
    ) -> None:
        """Makes the code of each segment.

        Args:
          nodes: The nodes of the plan, in an order in which they can run.
          cut: Which of them stand together.
          fetched: Slots that are read when the step is over.
          compiled: Generates code; else nodes are run one by one, and measured.
        """
        self.lines: dict[CodeType, tuple[PlanNode, ...]] = {}
        """For each generated function the node of each line, the first line being 2."""
        self.in_degrees = cut.in_degrees
        self.uses: dict[int, int] = {}
        """How many segments read a slot, for slots that several read."""
        readers = _readers(nodes, cut)
        self.segments = tuple(
            self._segment(i, nodes, cut, readers, fetched, compiled)
            for i in range(len(cut.segments))
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

    def _segment(
        self,
        index: int,
        nodes: Sequence[PlanNode],
        cut: Cut,
        readers: dict[int, set[int]],
        fetched: frozenset[int],
        compiled: bool,
    ) -> Segment:
        members = [nodes[i] for i in cut.segments[index]]
        cost = sum(node.cost for node in members)
        is_measured = not any(node.has_declared_cost for node in members)
        segment = Segment(index, cost, is_measured, cut.successors[index])
        if members and members[0].kind is CallKind.BLOCKING:
            segment.node, segment.cost = members[0], 0.0
            return segment
        last: dict[int, int] = {}
        for node in members:
            for slot in node.inputs:
                last[slot] = node.index
        dropped: dict[int, list[int]] = {}
        for slot, position in last.items():
            if slot not in fetched and readers[slot] == {index}:
                dropped.setdefault(position, []).append(slot)
        if not compiled:
            segment.code = (codegen.Interpreter(members, dropped).run,)
            return segment
        stops = frozenset(n.index for n in members if n.cost >= _STOP_AFTER)
        segment.code = tuple(self._chunks(members, index, readers, fetched, dropped, stops))
        return segment

    def _chunks(
        self,
        members: Sequence[PlanNode],
        index: int,
        readers: dict[int, set[int]],
        fetched: frozenset[int],
        dropped: dict[int, list[int]],
        stops: frozenset[int],
    ) -> list[codegen.Code]:
        chunk_of = {node.index: i // codegen.CHUNK for i, node in enumerate(members)}
        last_chunk: dict[int, int] = {}
        for node in members:
            for slot in node.inputs:
                last_chunk[slot] = chunk_of[node.index]
        codes: list[codegen.Code] = []
        for first in range(0, len(members), codegen.CHUNK):
            chunk = members[first : first + codegen.CHUNK]
            kept = frozenset(
                slot
                for node in chunk
                for slot in node.outputs
                if slot in fetched
                or readers.get(slot, set()) - {index}
                or last_chunk.get(slot, -1) > first // codegen.CHUNK
            )
            run, code, lined = codegen.generate(chunk, kept, dropped, stops)
            self.lines[code] = lined
            codes.append(run)
        return codes


def _readers(nodes: Sequence[PlanNode], cut: Cut) -> dict[int, set[int]]:
    """For each slot the segments that read it."""
    readers: dict[int, set[int]] = {}
    for index, members in enumerate(cut.segments):
        for member in members:
            for slot in nodes[member].inputs:
                readers.setdefault(slot, set()).add(index)
    return readers
