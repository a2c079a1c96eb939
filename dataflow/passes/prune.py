"""Cuts a graph down to what a step needs: feeds replace tensors, fetches and targets are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from dataflow.errors import InvalidArgumentError, NotFoundError, OutOfRangeError
from dataflow.passes.connections import Connected, connect
from dataflow.passes.graphs.node_graph import CONTROL_SLOT, Edge, Node, NodeGraph
from dataflow.passes.graphs.system_ops import LOWERED, system_op
from dataflow.schema.node_validation import parse_input
from dataflow.values.garbage import uncollected

_PLACEHOLDERS: Final = frozenset({"Placeholder", "PlaceholderV2"})

_Endpoint = tuple[int, int]
"""A tensor: node id and output index."""


class Signature(Protocol):
    """What a step is asked for; `runtime.StepSignature` is one."""

    @property
    def feeds(self) -> Sequence[str]:
        """Fed tensors, "x:0"."""

    @property
    def fetches(self) -> Sequence[str]:
        """Fetched tensors."""

    @property
    def targets(self) -> Sequence[str]:
        """Nodes to run."""

    @property
    def connections(self) -> Sequence[tuple[str, str]]:
        """Pairs of tensors, the first of which takes the place of the second."""


Merge = Callable[[Iterable[Node]], Mapping[Node, Node]]
"""Gives for nodes that are like another one that other one; see `cse.equal_constants`."""


@uncollected
def prune(graph: NodeGraph, signature: Signature, merge: Merge | None = None) -> NodeGraph:
    """The part of a graph that a step runs; costs no more than that part.

    A fed tensor comes from an `_Arg` node instead of its producer, and a fetched one goes to a
    `_Retval` node; both carry the index in the signature as attr `index` and stay on the device of
    the tensor's producer. A connected tensor is replaced as a fed one is, by another tensor. What
    neither a fetch nor a target waits for, over data and control edges, is left out: also an `_Arg`
    that nothing uses. Control edges move from a fed Placeholder to its `_Arg`; those of any other
    fed node still make that node run. A node in the place of a lowered call (see `lower`) is left
    out where only its tensors are used.

    Args:
      graph: Not changed.
      signature: What the step is asked for.
      merge: Names nodes, but no targets, that need no copy: another one stands in their place.

    Raises:
      InvalidArgumentError: Nothing is asked for, a tensor is unknown, fed twice, or both fed and
        fetched; a connection would make a cycle or change the type of a tensor.
      OutOfRangeError: A node does not have that output.
      NotFoundError: A target, or a tensor to be replaced, is unknown.
    """
    if not signature.fetches and not signature.targets:
        raise InvalidArgumentError(
            None, None, "Must specify at least one target to fetch or execute."
        )
    feeds = [_find_tensor(graph, name) for name in signature.feeds]
    fetches = [_find_tensor(graph, name) for name in signature.fetches]
    fed = _number_feeds(feeds)
    connected = connect(graph, signature.connections, fed)
    for node, output in fetches:
        if (node.id, output) in fed or (node.id, output) in connected:
            raise InvalidArgumentError(None, None, f"{node.name}:{output} is both fed and fetched.")
    targets = _find_targets(graph, signature.targets)
    needed, used = _reach([node for node, _ in fetches] + targets, fed, connected)
    nodes = sorted(needed, key=_id)
    stand_ins = merge(node for node in nodes if node not in targets) if merge is not None else {}
    return _Builder(graph, feeds, fed, connected).build(nodes, used, fetches, stand_ins)


def _find_tensor(graph: NodeGraph, name: str) -> tuple[Node, int]:
    node_name, output = parse_input(name)
    node = graph.find(node_name)
    if node is None or output < 0:
        shown = name if name == f"{node_name}:{output}" else f"{name}:0"
        raise InvalidArgumentError(
            None,
            None,
            f"Tensor {shown}, specified in either feed_devices or fetch_devices was not found in "
            "the Graph",
        )
    if output >= len(node.output_types):
        raise OutOfRangeError(
            None,
            None,
            f"Node '{node.name}' (type: '{node.op}', num of outputs: {len(node.output_types)}) "
            f"does not have output {output}",
        )
    return node, output


def _number_feeds(feeds: Sequence[tuple[Node, int]]) -> dict[_Endpoint, int]:
    fed: dict[_Endpoint, int] = {}
    for index, (node, output) in enumerate(feeds):
        if fed.setdefault((node.id, output), index) != index:
            raise InvalidArgumentError(
                None, None, f'Endpoint "{node.name}:{output}" fed more than once.'
            )
    return fed


def _find_targets(graph: NodeGraph, names: Sequence[str]) -> list[Node]:
    # A target may be written as one of its tensors or as a control input.
    found = [graph.find(parse_input(name)[0]) for name in names]
    if missing := [name for name, node in zip(names, found, strict=True) if node is None]:
        raise NotFoundError(
            None, None, f"PruneForTargets: Some target nodes not found: {' '.join(missing)} "
        )
    return [node for node in found if node is not None]


def _feed_of(edge: Edge, fed: dict[_Endpoint, int]) -> int | None:
    """Index of the feed that replaces what the edge brings."""
    place = _replaceable(edge)
    return None if place is None else fed.get(place)


def _replaceable(edge: Edge) -> _Endpoint | None:
    """The tensor in whose place another one may stand for this edge."""
    src = edge.src
    if edge.src_output != CONTROL_SLOT:
        return src.id, edge.src_output
    return (src.id, 0) if src.op in _PLACEHOLDERS else None


def _behind(edge: Edge, fed: dict[_Endpoint, int], connected: Connected) -> Edge:
    """The edge as it is after connections, or the one that brings the tensor to the node in the
    place of a function's call, if the edge comes from such a node and the tensor is not fed."""
    if connected:
        place = _replaceable(edge)
        if place is not None and (other := connected.get(place)) is not None:
            node, output = other
            slot = CONTROL_SLOT if edge.is_control else output
            edge = Edge(edge.id, node, slot, edge.dst, edge.dst_input)
    while edge.src_output >= 0 and LOWERED in edge.src.attrs:
        if fed and (edge.src.id, edge.src_output) in fed:
            break
        slot = edge.src_output
        edge = next(before for before in edge.src.in_edges if before.dst_input == slot)
    return edge


def _reach(
    roots: Sequence[Node], fed: dict[_Endpoint, int], connected: Connected
) -> tuple[dict[Node, None], set[int]]:
    """The nodes that the roots wait for, themselves included, and the feeds that are used."""
    needed = dict.fromkeys(roots)
    used: set[int] = set()
    stack = list(needed)
    while stack:
        for incoming in stack.pop().in_edges:
            edge = _behind(incoming, fed, connected)
            if fed and (feed := _feed_of(edge, fed)) is not None:
                used.add(feed)
            elif edge.src not in needed:
                needed[edge.src] = None
                stack.append(edge.src)
    return needed, used


class _Builder:
    """Writes the pruned graph."""

    __slots__ = ("_args", "_connected", "_fed", "_feeds", "_pruned")

    def __init__(
        self,
        graph: NodeGraph,
        feeds: Sequence[tuple[Node, int]],
        fed: dict[_Endpoint, int],
        connected: Connected,
    ) -> None:
        self._pruned = graph.empty_copy()
        self._connected = connected
        self._feeds = feeds
        self._fed = fed
        self._args: dict[int, Node] = {}

    def build(
        self,
        needed: Sequence[Node],
        used: set[int],
        fetches: Sequence[tuple[Node, int]],
        stand_ins: Mapping[Node, Node],
    ) -> NodeGraph:
        """Copies the needed nodes with the feeds before and the fetches after them."""
        pruned, fed, connected = self._pruned, self._fed, self._connected
        for index in sorted(used):
            src, output = self._feeds[index]
            self._args[index] = self._add("_Arg", "_arg", src, output, index)
        copied = [node for node in needed if node not in stand_ins] if stand_ins else needed
        twins = {node: pruned.add_copy(node) for node in copied}
        for node, other in stand_ins.items():
            twins[node] = twins[other]
        links = []
        for node in copied:
            twin = twins[node]
            for incoming in node.in_edges:
                edge = _behind(incoming, fed, connected)
                slot = incoming.dst_input
                if fed and (feed := _feed_of(edge, fed)) is not None:
                    output = min(edge.src_output, 0)
                    pruned.add_edge(self._args[feed], output, twin, slot)
                else:
                    links.append((twins[edge.src], edge.src_output, twin, slot))
        pruned.link_all(links)
        for index, (src, output) in enumerate(fetches):
            retval = self._add("_Retval", "_retval", src, output, index)
            pruned.link(twins[src], output, retval, 0)
        return pruned

    def _add(self, op: str, prefix: str, src: Node, output: int, index: int) -> Node:
        attrs: dict[str, Any] = {"T": src.output_types[output].base_dtype, "index": index}
        if not src.assigned_device and op == "_Retval":
            attrs["_class"] = (f"loc:@{src.name}".encode(),)
        return self._pruned.add_node(
            self._pruned.unique_name(f"{prefix}_{src.name}_{output}_{index}"),
            system_op(op),
            attrs,
            src.device,
            src.assigned_device,
        )


def _id(node: Node) -> int:
    return node.id
