"""Cuts the nodes of a partition into segments: what runs as straight-line code, what overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COSTLY: Final = 100e-6
"""Seconds from which work is worth handing to another thread, there and back (44 us)."""
_MIN_GAIN: Final = 2 * COSTLY
_MIN_SHARE: Final = 0.1
"""What several segments must be expected to save, in seconds and as part of the time."""
_MAX_COSTLY_NODES: Final = 1000
_MAX_TRACKED: Final = 4096


@dataclass(frozen=True, slots=True)
class Threads:
    """How many threads a plan may use."""

    segments: int = 1
    """Segments that can run at the same time."""
    kernel: int = 1
    """How many can do one kernel's work together."""


ALONE: Final = Threads()
"""The calling thread does everything."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A partition's nodes in groups; an edge between groups is an in-degree of the ready queue."""

    segments: tuple[tuple[int, ...], ...]
    """Node positions of each segment, in an order in which they can run."""
    successors: tuple[tuple[int, ...], ...]
    """Segments that wait for each segment."""
    in_degrees: tuple[int, ...]
    """Number of segments each segment waits for."""


def cut(
    predecessors: Sequence[Sequence[int]],
    blocking: Sequence[bool],
    costs: Sequence[float],
    threads: int,
    helped: Sequence[float] | None = None,
) -> Cut:
    """Groups nodes into segments, in time linear in the size of the graph.

    A segment starts when all it depends on has run, and then runs without waiting. So a node joins
    a segment only if it depends on nothing the segment does not depend on anyway: were a Send put
    behind a Recv that it does not need, two devices could wait for each other. Blocking nodes
    stand alone. Where work can overlap, each costly node starts a segment of its own; chains of
    them are joined again, and if little would be won, all of it is: several threads that each do
    one kernel at a time can be slower than all of them together at one kernel after the other.

    Args:
      predecessors: For each node the positions of the nodes it follows (data and control), all
        before its own.
      blocking: Nodes that wait for others.
      costs: Seconds that each node takes a lone thread.
      threads: How many segments can run at the same time.
      helped: Seconds that each node takes when idle threads help; None if they never do.
    """
    if not any(blocking) and threads < 2:
        return _single(len(blocking))
    plain = _group(predecessors, blocking, [False] * len(costs))
    costly = _costly_nodes(blocking, costs) if threads > 1 else []
    if len(costly) < 2:
        return plain
    flags = [False] * len(costs)
    for node in costly:
        flags[node] = True
    fine = _group(predecessors, blocking, flags)
    together = _critical(plain, helped or costs)
    apart = max(_critical(fine, costs), sum(costs) / threads)
    return fine if together - apart > max(_MIN_GAIN, _MIN_SHARE * together) else plain


def _single(count: int) -> Cut:
    return Cut((tuple(range(count)),), ((),), (0,))


def _costly_nodes(blocking: Sequence[bool], costs: Sequence[float]) -> list[int]:
    nodes = [i for i, cost in enumerate(costs) if cost >= COSTLY and not blocking[i]]
    if len(nodes) > _MAX_COSTLY_NODES:
        nodes = sorted(nodes, key=lambda i: -costs[i])[:_MAX_COSTLY_NODES]
    return nodes


def _group(
    predecessors: Sequence[Sequence[int]], blocking: Sequence[bool], starts: Sequence[bool]
) -> Cut:
    """Groups nodes by what they wait for; `starts` are nodes that begin a segment of their own."""
    members: list[list[int]] = []
    parents: list[frozenset[int]] = []
    ancestors: list[int] = []
    """Bit s of a segment's entry: segment s runs before it (for the first segments only)."""
    segment_of = [0] * len(blocking)
    by_parents: dict[frozenset[int], int] = {}

    def new_segment(waits_for: frozenset[int]) -> int:
        mask = 0
        for parent in waits_for:
            mask |= ancestors[parent] | (1 << parent if parent < _MAX_TRACKED else 0)
        members.append([])
        parents.append(waits_for)
        ancestors.append(mask)
        return len(members) - 1

    for node, before in enumerate(predecessors):
        waits_for = frozenset([segment_of[p] for p in before])
        if len(waits_for) > 1:
            covered = 0
            for parent in waits_for:
                covered |= ancestors[parent]
            waits_for = frozenset([p for p in waits_for if not covered >> p & 1])
        if blocking[node] or starts[node]:
            segment = new_segment(waits_for)
        else:
            only = next(iter(waits_for)) if len(waits_for) == 1 else -1
            if only >= 0 and not blocking[members[only][0]]:
                segment = only
            elif waits_for in by_parents:
                segment = by_parents[waits_for]
            else:
                segment = by_parents[waits_for] = new_segment(waits_for)
        segment_of[node] = segment
        members[segment].append(node)
    return _join_chains(members, parents, blocking)


def _join_chains(
    members: list[list[int]], parents: list[frozenset[int]], blocking: Sequence[bool]
) -> Cut:
    """Joins a segment to the one before it where neither has another neighbour in between."""
    children = [0] * len(members)
    for waits_for in parents:
        for parent in waits_for:
            children[parent] += 1
    head = list(range(len(members)))
    for segment, waits_for in enumerate(parents):
        if len(waits_for) != 1 or blocking[members[segment][0]]:
            continue
        (parent,) = waits_for
        if children[parent] == 1 and not blocking[members[parent][0]]:
            head[segment] = head[parent]
            members[head[parent]] += members[segment]
    kept = [s for s in range(len(members)) if head[s] == s]
    number = {segment: i for i, segment in enumerate(kept)}
    successors: list[list[int]] = [[] for _ in kept]
    for segment in kept:
        for parent in parents[segment]:
            successors[number[head[parent]]].append(number[segment])
    return Cut(
        segments=tuple(tuple(members[s]) for s in kept),
        successors=tuple(map(tuple, successors)),
        in_degrees=tuple(len(parents[s]) for s in kept),
    )


def _critical(of: Cut, costs: Sequence[float]) -> float:
    """Seconds of the longest path through the segments: the time with threads without number."""
    ready = [0.0] * len(of.segments)
    waiting = list(of.in_degrees)
    queue = [s for s, count in enumerate(waiting) if not count]
    longest = 0.0
    for segment in queue:
        end = ready[segment] + sum(costs[node] for node in of.segments[segment])
        longest = max(longest, end)
        for successor in of.successors[segment]:
            ready[successor] = max(ready[successor], end)
            waiting[successor] -= 1
            if not waiting[successor]:
                queue.append(successor)
    return longest
