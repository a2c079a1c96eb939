"""A plan with control flow as the tagged executor runs it: counts and places, per loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.plan.segments import COSTLY
from dataflow.passes.graphs.frames import Frame, find_frames
from dataflow.passes.graphs.system_ops import CONTROL_FLOW, ENTERS, EXITS
from dataflow.values.node_order import MERGE_OPS, NEXT_ITERATION_OPS

if TYPE_CHECKING:
    from dataflow.actors.nodes.binding import Adapter
    from dataflow.actors.nodes.plan_node import PlanNode
    from dataflow.actors.plan.bound_graph import BoundGraph
    from dataflow.passes.graphs.node_graph import Node, NodeGraph

SHIFT: Final = 24
DEAD_ONE: Final = 1 << SHIFT
"""A dead input in a node's count: what a node still waits for is in the bits below."""
WAITING: Final = DEAD_ONE - 1
"""Masks those bits."""

# What is done with a node that is ready. The first is the most frequent one.
FAST: Final = 0
"""Call a cheap kernel that is known well, and hand on its one output."""
CALL: Final = 1
SWITCH: Final = 2
MERGE: Final = 3
ENTER: Final = 4
EXIT: Final = 5
NEXT_ITERATION: Final = 6
CONSTANT: Final = 7
ORDER: Final = 8
"""Nothing: it only orders others."""
BLOCKING: Final = 9
SEND: Final = 10
RECV: Final = 11
FETCH: Final = 12

_KINDS: Final = {
    **dict.fromkeys(("Switch", "RefSwitch", "_SwitchN"), SWITCH),
    **dict.fromkeys(MERGE_OPS, MERGE),
    **dict.fromkeys(ENTERS, ENTER),
    **dict.fromkeys(EXITS, EXIT),
    **dict.fromkeys(NEXT_ITERATION_OPS, NEXT_ITERATION),
    **dict.fromkeys(("Const", "ControlTrigger"), ORDER),
    **dict.fromkeys(("_Send", "_HostSend"), SEND),
    **dict.fromkeys(("_Recv", "_HostRecv"), RECV),
    "_Retval": FETCH,
}
_WATCHED_CALLS: Final = 2
"""Calls that are measured before a node may count as cheap."""

Plain = tuple["TaggedNode", int, int]
"""Where a value goes: the node, the place of its count (-1: it waits for nothing else), the place
of the value."""
ToMerge = tuple["TaggedNode", int, int, int]
"""The same for a Merge, with the number of the input."""
Output = tuple[tuple[Plain, ...], tuple[ToMerge, ...]]


def has_control_flow(graph: NodeGraph) -> bool:
    """True if nodes of the partition may be skipped, or run more than once."""
    return any(
        node.op in CONTROL_FLOW or (node.op == "_Recv" and node.attrs.get("_may_be_dead") is True)
        for node in graph.nodes()
    )


class TaggedFrame:
    """A loop, or what is outside of all loops; a step may enter it many times.

    An iteration of it copies `counts` and `values`, and then works on its copies.
    """

    __slots__ = ("counts", "limit", "name", "num_enters", "parent", "values")

    def __init__(self, name: str, parent: TaggedFrame | None) -> None:
        self.name = name
        """Its `frame_name`."""
        self.parent = parent
        self.counts: list[int] = []
        """For each node what it waits for: the number of inputs, control inputs included. For a
        Merge one for all the inputs with values, and two for each control input."""
        self.values: list[Any] = []
        """Places for the inputs of the nodes, those of one node side by side. A Merge has two: for
        the value and for the number of the input that brought it."""
        self.num_enters = 0
        self.limit = 0
        """Iterations that may run at the same time; none or fewer mean any number."""


class TaggedNode:
    """A node of a plan with control flow."""

    __slots__ = (
        "adapters",
        "blank",
        "call",
        "child",
        "constant",
        "control_merges",
        "controls",
        "is_costly",
        "is_invariant",
        "is_last",
        "is_trigger",
        "kind",
        "may_be_fast",
        "num_inputs",
        "outputs",
        "place",
        "plain",
        "plan_node",
        "start",
        "stop",
        "watch",
    )

    def __init__(self, plan_node: PlanNode, kind: int, frame: TaggedFrame) -> None:
        self.plan_node = plan_node
        self.call = plan_node.call
        self.kind = kind
        adapters = plan_node.adapters
        self.adapters: tuple[Adapter | None, ...] | None = adapters if any(adapters) else None
        self.num_inputs = len(plan_node.inputs)
        places = 2 if kind == MERGE else self.num_inputs
        self.place = len(frame.counts)
        """Place of its count in the frame it runs in."""
        self.start = len(frame.values)
        self.stop = self.start + places
        """Places of its inputs in the frame it runs in."""
        self.blank: tuple[None, ...] = (None,) * places
        frame.counts.append(1 if kind == MERGE else 0)
        frame.values += self.blank
        self.outputs: tuple[Output, ...] = ()
        self.plain: tuple[Plain, ...] = ()
        """Where the only output goes, but for Merges."""
        self.may_be_fast = False
        """The node may be of kind `FAST`, if it turns out to be cheap."""
        self.is_last = False
        """Outside of loops, and nothing waits for it."""
        self.controls: tuple[tuple[TaggedNode, int], ...] = ()
        """Nodes that wait for it, but for Merges, each with the place of its count."""
        self.control_merges: tuple[tuple[TaggedNode, int], ...] = ()
        """Merges that wait for it."""
        self.child: TaggedFrame | None = None
        """The loop that an Enter leads into."""
        self.is_invariant = False
        """An Enter gives its value to all iterations."""
        self.is_trigger = plan_node.op == "ControlTrigger"
        """Dead inputs do not make the node dead."""
        self.constant: Any = None
        self.watch = _WATCHED_CALLS
        """How many calls are still to be measured."""
        self.is_costly = kind == CALL and plan_node.cost >= COSTLY
        """Worth a thread of its own."""

    def choose_speed(self) -> None:
        """Finds out, when the outputs are known, whether the node may be of kind `FAST`."""
        if len(self.outputs) == 1:
            self.plain, merges = self.outputs[0]
            self.may_be_fast = bool(
                self.kind == CALL
                and self.plain
                and self.plan_node.kind is CallKind.PLAIN
                and not (merges or self.controls or self.control_merges or self.adapters)
            )


class TaggedLayout:
    """The frames of a plan and the nodes a step starts with. Immutable; steps share it."""

    __slots__ = ("fetches", "givens", "last", "root", "roots")

    def __init__(self, graph: NodeGraph, bound: BoundGraph) -> None:
        """Lays out a partition that was bound."""
        origins, late = bound.origins, bound.late_constants
        self.root = TaggedFrame("", None)
        frames = _Frames(graph, self.root)
        nodes: dict[int, TaggedNode] = {}
        for node, plan_node in origins:
            nodes[node.id] = made = TaggedNode(plan_node, _kind(node, plan_node), frames.of(node))
            if node.id in late:
                made.kind = CONSTANT
                made.constant = bound.template[late[node.id]]
            if made.kind == ENTER:
                made.is_invariant = bool(node.attrs["is_constant"])
                made.child = frames.entered(node)
        sole = {n.id for n, _ in origins if _count_inputs(n, nodes, frames.of(n).counts)}
        places = _Places(nodes, sole)
        for node, _ in origins:
            places.connect(node)
            nodes[node.id].choose_speed()
        self.givens: tuple[tuple[int, Output], ...] = tuple(
            (slot, places.consumers(graph.node(id))[0]) for id, slot in bound.given.items()
        )
        """Slot and consumers of each value that is there from the start."""
        outside = [(n, nodes[n.id]) for n, _ in origins if frames.of(n) is self.root]
        roots = [t for _, t in outside if t.kind != MERGE and not self.root.counts[t.place]]
        # What blocking nodes wait for arrives while the others run.
        self.roots = tuple(sorted(roots, key=lambda t: t.kind not in (RECV, BLOCKING)))
        self.last = tuple(t for n, t in outside if not n.out_edges)
        for tagged in self.last:
            tagged.is_last = True
        """Nodes outside of loops that nothing waits for: once they are done, all are."""
        self.fetches = {
            plan_node.outputs[0]: node.attrs["index"]
            for node, plan_node in origins
            if node.op == "_Retval" and plan_node.outputs
        }
        """Index in the signature of each fetch, by its slot."""


class _Frames:
    """The frames of a partition, by the loops around a node."""

    def __init__(self, graph: NodeGraph, root: TaggedFrame) -> None:
        self._found = find_frames(graph)
        self._frames: dict[Frame, TaggedFrame] = {(): root}

    def of(self, node: Node) -> TaggedFrame:
        """The frame a node runs in: an Enter runs outside of the loop it leads into."""
        path = self._found.get(node, ())
        return self._get(path[:-1] if node.op in ENTERS else path)

    def entered(self, node: Node) -> TaggedFrame:
        """The loop that an Enter leads into."""
        frame = self._get(self._found[node])
        frame.num_enters += 1
        frame.limit = frame.limit or node.attrs["parallel_iterations"]
        return frame

    def _get(self, path: Frame) -> TaggedFrame:
        frame = self._frames.get(path)
        if frame is None:
            frame = self._frames[path] = TaggedFrame(path[-1], self._get(path[:-1]))
        return frame


def _kind(node: Node, plan_node: PlanNode) -> int:
    kind = _KINDS.get(node.op)
    if kind is not None:
        return kind
    if plan_node.kind is CallKind.BLOCKING:
        return BLOCKING
    return ORDER if plan_node.kind is CallKind.NOTHING else CALL


def _count_inputs(node: Node, nodes: Mapping[int, TaggedNode], counts: list[int]) -> bool:
    """Sets a node's count; returns whether it is no Merge and waits for one input only."""
    made = nodes[node.id]
    counted = [edge for edge in node.in_edges if edge.src.id in nodes]
    if made.kind == MERGE:
        counts[made.place] += 2 * sum(edge.is_control for edge in counted)
        return False
    counts[made.place] = len(counted)
    return len(counted) == 1


class _Places:
    """Finds where the outputs of a node go."""

    def __init__(self, nodes: Mapping[int, TaggedNode], sole: set[int]) -> None:
        self._nodes = nodes
        self._sole = sole
        """Ids of nodes that wait for one input only."""

    def connect(self, node: Node) -> None:
        """Tells a node who uses its outputs, and who waits for it."""
        made = self._nodes[node.id]
        made.outputs = self.consumers(node)
        waiting = [edge.dst for edge in node.out_edges if edge.is_control]
        made.controls = tuple(
            (self._nodes[dst.id], self._place(dst)) for dst in waiting if dst.op not in MERGE_OPS
        )
        made.control_merges = tuple(
            (self._nodes[dst.id], self._place(dst)) for dst in waiting if dst.op in MERGE_OPS
        )

    def consumers(self, node: Node) -> tuple[Output, ...]:
        """Where each output of a node goes."""
        plain: list[list[Plain]] = [[] for _ in node.output_types]
        merges: list[list[ToMerge]] = [[] for _ in node.output_types]
        for edge in node.out_edges:
            if edge.is_control:
                continue
            dst, place = self._nodes[edge.dst.id], self._place(edge.dst)
            if dst.kind == MERGE:
                merges[edge.src_output].append((dst, place, dst.start, edge.dst_input))
            else:
                plain[edge.src_output].append((dst, place, dst.start + edge.dst_input))
        return tuple((tuple(p), tuple(m)) for p, m in zip(plain, merges, strict=True))

    def _place(self, node: Node) -> int:
        return -1 if node.id in self._sole else self._nodes[node.id].place
