"""NodeGraph: the graph of the back end, that the passes rewrite and the runtime runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.schema.opdef import OpDef
from dataflow.values.dtypes import DType

CONTROL_SLOT: Final = -1
"""`src_output` and `dst_input` of a control edge."""
SOURCE_ID: Final = 0
SINK_ID: Final = 1


class Edge:
    """A tensor, or with -1 on both ends an order, that goes from one node to another."""

    __slots__ = ("dst", "dst_input", "id", "src", "src_output")

    def __init__(self, id: int, src: Node, src_output: int, dst: Node, dst_input: int) -> None:
        self.id = id
        self.src = src
        self.src_output = src_output
        self.dst = dst
        self.dst_input = dst_input

    @property
    def is_control(self) -> bool:
        """True if the edge carries no tensor."""
        return self.src_output < 0

    @property
    def dtype(self) -> DType:
        """Element type of the tensor, as the producer gives it; not for control edges."""
        return self.src.output_types[self.src_output]

    def __repr__(self) -> str:
        mark = "^" if self.is_control else ""
        return (
            f"<Edge {self.id}: {mark}{self.src.name}:{self.src_output} -> "
            f"{self.dst.name}:{self.dst_input}>"
        )


class Node:
    """A node of a `NodeGraph`; made by `NodeGraph.add_node`.

    Attributes:
        id: Number within the graph; Source is 0, Sink is 1.
        name: Unique name.
        op: Op type.
        op_def: Schema of the op type.
        attrs: Decoded attrs. Copies of a graph share them: replace the mapping to change one.
        input_types: Element types of the inputs, ref types where the schema says Ref.
        output_types: Element types of the outputs.
        device: Device asked for, a partial or empty name.
        assigned_device: Full name of the device the node was placed on, or empty.
        in_edges: Edges to the node, an insertion-ordered set.
        out_edges: Edges from the node, an insertion-ordered set.
        created_at: `file:line` of the user's code that made the node, or empty.
    """

    __slots__ = (
        "assigned_device",
        "attrs",
        "created_at",
        "device",
        "id",
        "in_edges",
        "input_types",
        "name",
        "op",
        "op_def",
        "out_edges",
        "output_types",
    )

    def __init__(
        self,
        id: int,
        name: str,
        op_def: OpDef,
        attrs: Mapping[str, Any],
        input_types: tuple[DType, ...],
        output_types: tuple[DType, ...],
        device: str,
        assigned_device: str,
    ) -> None:
        self.id = id
        self.name = name
        self.op = op_def.name
        self.op_def = op_def
        self.attrs = attrs
        self.input_types = input_types
        self.output_types = output_types
        self.device = device
        self.assigned_device = assigned_device
        self.created_at = ""
        self.in_edges: dict[Edge, None] = {}
        self.out_edges: dict[Edge, None] = {}

    def data_edges(self) -> list[Edge]:
        """The edges that bring tensors, in the order of the inputs."""
        edges = [edge for edge in self.in_edges if edge.dst_input >= 0]
        if len(edges) > 2 or (len(edges) == 2 and edges[0].dst_input > edges[1].dst_input):
            edges.sort(key=_dst_input)
        return edges

    def control_edges(self) -> list[Edge]:
        """The control edges to the node."""
        return [edge for edge in self.in_edges if edge.dst_input < 0]

    def __repr__(self) -> str:
        return f"<Node {self.id}: {self.name} = {self.op}>"


_dst_input = attrgetter("dst_input")
_SOURCE_DEF, _SINK_DEF = (
    OpDef(name=name, inputs=(), outputs=(), attrs=(), shape_function=lambda c: [])
    for name in ("_SOURCE", "_SINK")
)


class NodeGraph:
    """Nodes and edges, numbered densely: a freed number is given to the next node or edge.

    Source and Sink are there from the start. They have edges only after
    `connect_source_and_sink`, so that a pass never meets them among a node's inputs.

    Attributes:
        is_sorted: True if every edge leads from a lower to a higher id; False if that is not known.
        versions: The GraphDef format the nodes were written in.
        functions: The function library, by name.
        gradient_functions: Function name to the name of the function that computes its gradient.
        handles: Name and output of a call that was inlined to those of the node that its handle
            comes from.
        source: Node 0.
        sink: Node 1.
    """

    __slots__ = (
        "_by_name",
        "_edges",
        "_free_edges",
        "_free_nodes",
        "_nodes",
        "functions",
        "gradient_functions",
        "handles",
        "is_sorted",
        "sink",
        "source",
        "versions",
    )

    def __init__(self, versions: VersionDef | None = None) -> None:
        self.versions = VersionDef()
        if versions is not None:
            self.versions.CopyFrom(versions)
        self.functions: dict[str, FunctionDef] = {}
        self.gradient_functions: dict[str, str] = {}
        self.handles: dict[tuple[str, int], tuple[str, int]] = {}
        self.is_sorted = True
        self.source = Node(SOURCE_ID, "_SOURCE", _SOURCE_DEF, {}, (), (), "", "")
        self.sink = Node(SINK_ID, "_SINK", _SINK_DEF, {}, (), (), "", "")
        self._nodes: list[Node | None] = [self.source, self.sink]
        self._edges: list[Edge | None] = []
        self._free_nodes: list[int] = []
        self._free_edges: list[int] = []
        self._by_name: dict[str, Node] = {}

    def __len__(self) -> int:
        """Number of nodes without Source and Sink."""
        return len(self._by_name)

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self._edges) - len(self._free_edges)

    @property
    def node_id_bound(self) -> int:
        """Every node id is below this."""
        return len(self._nodes)

    def nodes(self) -> Iterator[Node]:
        """The nodes without Source and Sink, in the order of their ids."""
        return (node for node in self._nodes[2:] if node is not None)

    def edges(self) -> Iterator[Edge]:
        """The edges, in the order of their ids."""
        return (edge for edge in self._edges if edge is not None)

    def find(self, name: str) -> Node | None:
        """The node of that name, or None."""
        return self._by_name.get(name)

    def node(self, id: int) -> Node:
        """The node with that id.

        Raises:
          KeyError: There is none.
        """
        node = self._nodes[id] if 0 <= id < len(self._nodes) else None
        if node is None:
            raise KeyError(id)
        return node

    def unique_name(self, prefix: str) -> str:
        """A name that no node has: the prefix itself, or with `_1`, `_2`, ... after it."""
        name, count = prefix, 0
        while name in self._by_name:
            count += 1
            name = f"{prefix}_{count}"
        return name

    def add_node(
        self,
        name: str,
        op_def: OpDef,
        attrs: Mapping[str, Any],
        device: str = "",
        assigned_device: str = "",
    ) -> Node:
        """Adds a node without edges.

        Args:
          name: A name no other node has.
          op_def: Schema of the op.
          attrs: Decoded attrs, complete.
          device: Device asked for.
          assigned_device: Full name of the device it is placed on.

        Raises:
          ValueError: The name is taken.
        """
        types = (tuple(op_def.input_types(attrs)), tuple(op_def.output_types(attrs)))
        node = Node(0, name, op_def, attrs, *types, device, assigned_device)
        self.attach(node)
        return node

    def add_copy(self, node: Node, name: str = "") -> Node:
        """Adds a node like one of another graph, without its edges.

        Raises:
          ValueError: The name is taken.
        """
        twin = Node(
            0,
            name or node.name,
            node.op_def,
            node.attrs,
            node.input_types,
            node.output_types,
            node.device,
            node.assigned_device,
        )
        twin.created_at = node.created_at
        self.attach(twin)
        return twin

    def attach(self, node: Node) -> None:
        """Takes up a node that belongs to no graph and gives it an id.

        Raises:
          ValueError: The name is taken.
        """
        if self._by_name.setdefault(node.name, node) is not node:
            raise ValueError(f"Node '{node.name}' is not unique")
        if self._free_nodes:
            node.id = self._free_nodes.pop()
            self._nodes[node.id] = node
        else:
            node.id = len(self._nodes)
            self._nodes.append(node)

    def remove_node(self, node: Node) -> None:
        """Removes a node with its edges; its id is free again.

        Raises:
          ValueError: It is Source, Sink, or not a node of this graph.
        """
        if self._by_name.get(node.name) is not node:
            raise ValueError(f"Node '{node.name}' cannot be removed from this graph.")
        for edge in (*node.in_edges, *node.out_edges):
            # An edge from the node to itself is in both sets.
            if edge in edge.src.out_edges:
                self.remove_edge(edge)
        del self._by_name[node.name]
        self._nodes[node.id] = None
        self._free_nodes.append(node.id)

    def add_edge(self, src: Node, src_output: int, dst: Node, dst_input: int) -> Edge:
        """Adds an edge. Only a control edge (-1 to -1) may repeat: then the first is returned."""
        if src_output < 0 and (same := self._find_control_edge(src, dst)) is not None:
            return same
        return self.link(src, src_output, dst, dst_input)

    def add_control_edge(self, src: Node, dst: Node) -> Edge:
        """Makes `dst` wait for `src`, unless it does already."""
        return self.add_edge(src, CONTROL_SLOT, dst, CONTROL_SLOT)

    def link(self, src: Node, src_output: int, dst: Node, dst_input: int) -> Edge:
        """Adds an edge that is known not to be there yet."""
        if self._free_edges:
            edge = Edge(self._free_edges.pop(), src, src_output, dst, dst_input)
            self._edges[edge.id] = edge
        else:
            edge = Edge(len(self._edges), src, src_output, dst, dst_input)
            self._edges.append(edge)
        src.out_edges[edge] = None
        dst.in_edges[edge] = None
        if src.id > dst.id:
            self.is_sorted = False
        return edge

    def link_all(self, links: Iterable[tuple[Node, int, Node, int]]) -> None:
        """Adds edges that are known not to be there yet: as `link` does, in less time."""
        edges, is_sorted = self._edges, self.is_sorted
        for src, src_output, dst, dst_input in links:
            edge = Edge(len(edges), src, src_output, dst, dst_input)
            edges.append(edge)
            src.out_edges[edge] = dst.in_edges[edge] = None
            if src.id > dst.id:
                is_sorted = False
        self.is_sorted = is_sorted

    @staticmethod
    def _find_control_edge(src: Node, dst: Node) -> Edge | None:
        if len(src.out_edges) < len(dst.in_edges):
            candidates = src.out_edges
        else:
            candidates = dst.in_edges
        for edge in candidates:
            if edge.src_output < 0 and edge.src is src and edge.dst is dst:
                return edge
        return None

    def remove_edge(self, edge: Edge) -> None:
        """Removes an edge; its id is free again."""
        del edge.src.out_edges[edge]
        del edge.dst.in_edges[edge]
        self._edges[edge.id] = None
        self._free_edges.append(edge.id)

    def move_source(self, edge: Edge, src: Node, src_output: int) -> None:
        """Lets an edge come from another tensor; a control edge that would repeat goes away."""
        if src_output < 0 and self._find_control_edge(src, edge.dst) not in (None, edge):
            self.remove_edge(edge)
            return
        del edge.src.out_edges[edge]
        edge.src, edge.src_output = src, src_output
        src.out_edges[edge] = None
        if src.id > edge.dst.id:
            self.is_sorted = False

    def renumber(self, nodes: Sequence[Node]) -> None:
        """Hands the ids of these nodes of the graph to them anew, in ascending order."""
        ids = sorted(node.id for node in nodes)
        for id, node in zip(ids, nodes, strict=True):
            node.id = id
            self._nodes[id] = node
        self.is_sorted = all(e.src.id < e.dst.id for e in self._edges if e is not None)

    def connect_source_and_sink(self) -> None:
        """Makes every node reachable: control edges from Source to the nodes without inputs, and
        from the nodes without consumers to Sink; edges that are not needed any more go away."""
        for edge in (*self.source.out_edges, *self.sink.in_edges):
            self.remove_edge(edge)
        for node in self.nodes():
            if not node.in_edges:
                self.link(self.source, CONTROL_SLOT, node, CONTROL_SLOT)
            if not node.out_edges:
                self.link(node, CONTROL_SLOT, self.sink, CONTROL_SLOT)

    def assign(self, assignments: Mapping[str, str]) -> None:
        """Puts nodes on devices: node name to full device name.

        Raises:
          KeyError: There is no such node.
        """
        for name, device in assignments.items():
            self._by_name[name].assigned_device = device

    def copy(self) -> NodeGraph:
        """A graph with the same nodes and edges under the same ids; attrs are shared."""
        twin = self.empty_copy()
        twins: list[Node | None] = [twin.source, twin.sink]
        by_name = twin._by_name
        for node in self._nodes[2:]:
            if node is None:
                twins.append(None)
                continue
            same = Node(
                node.id,
                node.name,
                node.op_def,
                node.attrs,
                node.input_types,
                node.output_types,
                node.device,
                node.assigned_device,
            )
            same.created_at = node.created_at
            twins.append(same)
            by_name[node.name] = same
        edges: list[Edge | None] = []
        for edge in self._edges:
            if edge is None:
                edges.append(None)
                continue
            src, dst = twins[edge.src.id], twins[edge.dst.id]
            assert src is not None and dst is not None
            again = Edge(edge.id, src, edge.src_output, dst, edge.dst_input)
            edges.append(again)
            src.out_edges[again] = None
            dst.in_edges[again] = None
        twin._nodes, twin._edges = twins, edges
        twin.is_sorted = self.is_sorted
        twin._free_nodes, twin._free_edges = list(self._free_nodes), list(self._free_edges)
        return twin

    def empty_copy(self) -> NodeGraph:
        """A graph without nodes, of the same versions and with the same function library."""
        twin = NodeGraph(self.versions)
        twin.functions = dict(self.functions)
        twin.gradient_functions = dict(self.gradient_functions)
        return twin

    def dissolve(self) -> None:
        """Parts nodes and edges of a graph that nobody needs any more.

        They refer to each other: so their memory is free at once, without the cycle collector.
        """
        for node in self.nodes():
            node.in_edges.clear()
            node.out_edges.clear()
        self._edges.clear()

    def __repr__(self) -> str:
        return f"<NodeGraph of {len(self)} nodes and {self.num_edges} edges>"
