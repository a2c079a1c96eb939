"""Which nodes of a graph stay on one device: colocations, variables with their ops, loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dataflow.errors import InvalidArgumentError
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.types_pb2 import DataType
from dataflow.schema import opdef
from dataflow.schema.node_validation import parse_input

_PREFIX: Final = b"loc:@"
_VARIABLES: Final = frozenset({"Variable", "VariableV2", "TemporaryVariable"})
_SAVERS: Final = frozenset({"Save", "SaveSlices", "SaveV2"})
_ENTERS: Final = frozenset({"Enter", "RefEnter"})
_EXITS: Final = frozenset({"Exit", "RefExit"})
_HANDLES: Final = (DataType.DT_RESOURCE, DataType.DT_VARIANT)


class Graph:
    """A GraphDef by numbers: its nodes, and for each the numbers of those whose outputs it takes.

    Raises:
      InvalidArgumentError: Two nodes have one name, or an input is not there.
    """

    def __init__(self, graph_def: GraphDef) -> None:
        self.nodes: Sequence[NodeDef] = list(graph_def.node)
        self.number: dict[str, int] = {}
        for index, node in enumerate(self.nodes):
            if node.name in self.number:
                raise _invalid(f"Two nodes are named '{node.name}'")
            self.number[node.name] = index
        self.inputs: list[list[tuple[int, int]]] = [self._inputs_of(n) for n in self.nodes]
        """Of each node: the numbers of nodes and of their outputs, -1 where it only waits."""
        self.outputs: list[list[int]] = [[] for _ in self.nodes]
        for index, edges in enumerate(self.inputs):
            for source, _ in edges:
                self.outputs[source].append(index)

    def _inputs_of(self, node: NodeDef) -> list[tuple[int, int]]:
        found = []
        for text in node.input:
            name, slot = parse_input(text)
            if name not in self.number:
                raise _invalid(f"Node '{node.name}' takes '{text}', which is not in the graph")
            found.append((self.number[name], slot))
        return found

    def needed(self, names: Iterable[str]) -> set[int]:
        """The numbers of nodes, and of all that they are computed from.

        Raises:
          InvalidArgumentError: There is no such node.
        """
        pending = []
        for name in names:
            base = parse_input(name)[0]
            if base not in self.number:
                raise _invalid(f"There is no node '{base}' in the graph")
            pending.append(self.number[base])
        found: set[int] = set()
        while pending:
            index = pending.pop()
            if index not in found:
                found.add(index)
                pending.extend(source for source, _ in self.inputs[index])
        return found


class _Sets:
    """Disjoint sets of numbers."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def find(self, index: int) -> int:
        """The number that stands for a set."""
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def unite(self, one: int, other: int) -> None:
        """Makes one set of two."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self._parent[max(one, other)] = min(one, other)


def groups_of(graph: Graph) -> list[int]:
    """A number for each node, the same for nodes that share a device.

    Together are what a `_class` attr binds, a variable or other resource with all that take its
    reference or handle or read it, and all of a loop's frame, with the frames inside.

    Raises:
      InvalidArgumentError: A `_class` attr names no node.
    """
    sets = _Sets(len(graph.nodes))
    for index, node in enumerate(graph.nodes):
        for name in _colocated(node):
            if name not in graph.number:
                raise _invalid(f"Node '{node.name}' is colocated with unknown node '{name}'")
            sets.unite(index, graph.number[name])
        for position, (source, slot) in enumerate(graph.inputs[index]):
            if slot >= 0 and _binds(graph.nodes[source], node, position):
                sets.unite(index, source)
    for frame in _frames(graph):
        first = min(frame)
        for index in frame:
            sets.unite(first, index)
    return [sets.find(index) for index in range(len(graph.nodes))]


def _colocated(node: NodeDef) -> list[str]:
    if "_class" not in node.attr:
        return []
    return [
        each[len(_PREFIX) :].decode()
        for each in node.attr["_class"].list.s
        if each.startswith(_PREFIX)
    ]


def _binds(source: NodeDef, node: NodeDef, position: int) -> bool:
    """Whether an input is a reference or a handle, which means one device at both ends."""
    if source.op in _VARIABLES:
        # What saves all variables must not bind them to each other.
        return node.op not in _SAVERS
    if source.op in ("Placeholder", "PlaceholderV2"):
        return False
    found = opdef.find(node.op)
    if found is None:
        return False
    argument = found.inputs[position] if position < len(found.inputs) else None
    if argument is not None and argument.is_ref:
        return True
    return _gives_handle(source)


def _gives_handle(node: NodeDef) -> bool:
    found = opdef.find(node.op)
    if found is None or not found.outputs:
        return False
    for key in ("dtype", "T"):
        # What passes handles on (Switch, Enter, Identity) has their type in an attr.
        if node.op in ("Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration"):
            return key in node.attr and node.attr[key].type in _HANDLES
    kinds = {output.dtype.as_datatype_enum for output in found.outputs if output.dtype is not None}
    return bool(kinds & {DataType.DT_RESOURCE})


def _frames(graph: Graph) -> list[set[int]]:
    """The nodes of each loop: from its Enters to its Exits, with what only starts inside."""
    enters: dict[bytes, list[int]] = {}
    for index, node in enumerate(graph.nodes):
        if node.op in _ENTERS:
            enters.setdefault(node.attr["frame_name"].s, []).append(index)
    found = []
    for starts in enters.values():
        frame = set(starts)
        pending = [(index, 1) for index in starts]
        depth_of = dict(pending)
        while pending:
            index, depth = pending.pop()
            for user in graph.outputs[index]:
                op = graph.nodes[user].op
                inside = depth + (op in _ENTERS) - (graph.nodes[index].op in _EXITS)
                if user in starts or inside < 1 or depth_of.get(user, 0) >= inside:
                    continue
                depth_of[user] = inside
                frame.add(user)
                pending.append((user, inside))
        found.append(frame)
    return found


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
