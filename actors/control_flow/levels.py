"""Sorts the nodes of a partition into levels: outside of all loops, and inside each of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from dataflow.passes.graphs.frames import Frame, find_frames
from dataflow.passes.graphs.order import is_back_edge
from dataflow.passes.graphs.system_ops import ENTERS, EXITS

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph

_DEEPEST: Final = 12
"""Loops within loops: Python refuses more than 20 blocks in one function."""


class UnstructuredError(Exception):
    """The partition does not keep to the structure of loops and branches; says what does not."""


@dataclass(slots=True, eq=False)
class Level:
    """The nodes of one loop, or those outside of all loops, in an order in which they can run."""

    frame: Frame
    items: list[Node | Level] = field(default_factory=list)
    """Nodes, and the levels of the loops inside. Its Enters and Exits are among a loop's nodes."""

    first: int = 1 << 62
    """The lowest id of its own nodes: where the loop stands among what is outside of it."""

    def nodes(self) -> Iterator[Node]:
        """Its own nodes, without those of the loops inside."""
        return (item for item in self.items if not isinstance(item, Level))


def find_levels(graph: NodeGraph) -> Level:
    """The level outside of all loops, with the others in it.

    Raises:
      UnstructuredError: The nodes of a loop cannot run without what waits for it, an edge crosses
        the border of a loop, or loops nest too deeply.
    """
    frames = find_frames(graph)
    levels: dict[Frame, Level] = {(): Level(())}
    for frame in frames.values():
        if frame not in levels:
            if len(frame) > _DEEPEST:
                raise UnstructuredError(f"the loops around '{frame[-1]}' nest too deeply")
            levels[frame] = Level(frame)
    members: dict[Frame, list[Node | Level]] = {frame: [] for frame in levels}
    for frame, level in levels.items():
        if frame:
            if frame[:-1] not in levels:
                raise UnstructuredError(f"nothing is known of the loop around '{frame[-1]}'")
            members[frame[:-1]].append(level)
    for node in graph.nodes():
        frame = frames.get(node, ())
        members[frame].append(node)
        levels[frame].first = min(levels[frame].first, node.id)
    edges: dict[Frame, list[tuple[Node | Level, Node | Level]]] = {frame: [] for frame in levels}
    for edge in graph.edges():
        if edge.src is graph.source or edge.dst is graph.sink:
            continue
        if not is_back_edge(edge.src, edge.dst):
            frame, src, dst = _ends(edge, frames, levels)
            edges[frame].append((src, dst))
    for frame, level in levels.items():
        level.items = _sorted(members[frame], edges[frame], level)
    return levels[()]


def _ends(
    edge: Edge, frames: dict[Node, Frame], levels: dict[Frame, Level]
) -> tuple[Frame, Node | Level, Node | Level]:
    """The level the edge is in, and what it joins there: a loop stands for its Enters and Exits."""
    above, below = frames.get(edge.src, ()), frames.get(edge.dst, ())
    src: Node | Level = edge.src
    dst: Node | Level = edge.dst
    if edge.src.op in EXITS:
        src, above = levels[above], above[:-1]
    if edge.dst.op in ENTERS:
        dst, below = levels[below], below[:-1]
    if above != below:
        raise UnstructuredError(f"'{edge.src.name}' and '{edge.dst.name}' are in different loops")
    return above, src, dst


def _sorted(
    members: Iterable[Node | Level],
    edges: Iterable[tuple[Node | Level, Node | Level]],
    level: Level,
) -> list[Node | Level]:
    """An order near to that of the node ids; Sends go first, as others wait for them.

    A loop stands where it was begun, so that it reads a variable before updates made after it.
    """
    vertices = sorted(members, key=_rank)
    place = {id(vertex): index for index, vertex in enumerate(vertices)}
    waiting = [0] * len(vertices)
    successors: list[list[int]] = [[] for _ in vertices]
    for src, dst in edges:
        waiting[place[id(dst)]] += 1
        successors[place[id(src)]].append(place[id(dst)])
    ready = [index for index, count in enumerate(waiting) if not count]
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append(vertices[index])
        for after in successors[index]:
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, after)
    if len(order) < len(vertices):
        where = f"in loop '{level.frame[-1]}'" if level.frame else "outside of loops"
        raise UnstructuredError(f"nodes {where} wait for each other")
    return order


def _rank(vertex: Node | Level) -> tuple[bool, int, str]:
    if isinstance(vertex, Level):
        return True, vertex.first, vertex.frame[-1]
    return vertex.op != "_Send", vertex.id, ""
