"""GraphDef into NodeGraph: the only door into the back end, so everything is checked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.passes.graphs.node_graph import CONTROL_SLOT, Node, NodeGraph
from dataflow.passes.graphs.order import is_back_edge
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.schema import node_validation as validation
from dataflow.schema import opdef
from dataflow.schema.function_library import new_functions
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.opdef import OpDef
from dataflow.values import versions
from dataflow.values.dtypes import DType
from dataflow.values.garbage import uncollected
from dataflow.values.node_order import stable_order

_COLOCATION_PREFIX = "loc:@"
_ALL_OUTPUTS = " Try using tf.compat.v1.experimental.output_all_intermediates(True)."
"""TensorFlow's advice where a conditional has run before its gradients were made."""

_Link = tuple[Node, int, Node, int]
"""An edge to be: producer, output, consumer, input."""


def import_graph(graph_def: GraphDef, *, partition: bool = False) -> NodeGraph:
    """A new graph with the nodes of a GraphDef; see `extend`."""
    graph = NodeGraph(graph_def.versions)
    extend(graph, graph_def, partition=partition)
    return graph


@uncollected
def extend(
    graph: NodeGraph,
    graph_def: GraphDef,
    *,
    partition: bool = False,
    attrs: Sequence[Mapping[str, Any]] | None = None,
) -> list[Node]:
    """Adds the nodes and functions of a GraphDef; if it is malformed nothing is added.

    Args:
      graph: Takes the nodes; they may have inputs among those that it has already.
      graph_def: Nodes in any order.
      partition: The GraphDef is a part of a graph made by `to_graph_def`: nodes are placed on
        the device they name, names of the system's own nodes are allowed, and `_class` may name
        nodes that are elsewhere.
      attrs: Decoded attrs of each node, complete and checked, if the GraphDef has none.

    Returns:
      The new nodes, producers before consumers.

    Raises:
      InvalidArgumentError: A node, an input, an attr, the versions or the function library is
        malformed; the message names node and reason.
    """
    validation.check_versions(graph_def.versions)
    functions, gradients = new_functions(
        graph_def.library, graph.functions, graph.gradient_functions
    )
    reader = _Reader(graph, functions, partition, attrs)
    for node_def in graph_def.node:
        reader.read_node(node_def)
    for node_def in graph_def.node:
        reader.read_inputs(node_def)
    nodes = reader.in_order()
    graph.functions.update(functions)
    graph.gradient_functions.update(gradients)
    _merge_versions(graph, graph_def.versions)
    for node in nodes:
        graph.attach(node)
    graph.link_all(reader.links)
    return nodes


class _Reader:
    """Makes nodes and links that belong to no graph yet, so that a failure leaves no trace."""

    __slots__ = (
        "_attrs",
        "_functions",
        "_graph",
        "_new",
        "_partition",
        "_schemas",
        "_sorted",
        "links",
    )

    def __init__(
        self,
        graph: NodeGraph,
        functions: dict[str, FunctionDef],
        partition: bool,
        attrs: Sequence[Mapping[str, Any]] | None,
    ) -> None:
        self._attrs = attrs
        self._graph = graph
        self._functions = functions
        self._partition = partition
        self._schemas: dict[str, OpDef] = {}
        self._new: dict[str, Node] = {}
        self._sorted = True
        self.links: list[_Link] = []

    def read_node(self, node_def: NodeDef) -> None:
        """Makes the node without its inputs."""
        name = node_def.name
        validation.check_node_name(name, internal=self._partition)
        if name in self._new or self._graph.find(name) is not None:
            raise InvalidArgumentError(node_def, None, f"Node '{name}' is not unique")
        if not self._partition:
            validation.check_not_system_op(node_def)
        device = node_def.device
        if device:
            validation.check_device(node_def)
        op_def = opdef.find(node_def.op) or self._find_function(node_def)
        if self._attrs is None:
            attrs = validation.decode_attrs(op_def, node_def)
        else:
            attrs = taken(self._attrs[len(self._new)])
        inputs, outputs = validation.node_types(op_def, attrs, node_def)
        assigned = device if self._partition else ""
        # Until the graph takes the node up, its id is its place in the GraphDef.
        self._new[name] = Node(
            len(self._new), name, op_def, attrs, inputs, outputs, device, assigned
        )

    def _find_function(self, node_def: NodeDef) -> OpDef:
        name = node_def.op
        if name not in self._schemas:
            function = self._functions.get(name) or self._graph.functions.get(name)
            if function is not None:
                self._schemas[name] = op_def_from_proto(function.signature)
        return validation.find_op(node_def, self._schemas)

    def read_inputs(self, node_def: NodeDef) -> None:
        """Links the node to its producers."""
        node = self._new[node_def.name]
        expected = node.input_types
        slot = 0
        waits_for: set[Node] | None = None
        for text in node_def.input:
            src, output = self._producer(text, node)
            if output == CONTROL_SLOT:
                if waits_for is None:
                    waits_for = set()
                if src not in waits_for:
                    waits_for.add(src)
                    self.links.append((src, CONTROL_SLOT, node, CONTROL_SLOT))
                continue
            if waits_for is not None:
                raise validation.late_data_input(node.name)
            if slot < len(expected):
                given = _output_type(src, output, node)
                if given is not expected[slot] and not validation.accepts(expected[slot], given):
                    validation.check_num_inputs(
                        node.op_def, expected, _num_data_inputs(node_def), node_def
                    )
                    raise validation.type_mismatch(
                        slot, node.name, given, src.name, output, expected[slot]
                    )
            self.links.append((src, output, node, slot))
            slot += 1
        if slot != len(expected):
            validation.check_num_inputs(node.op_def, expected, slot, node_def)
        # A part of a graph may lack the node that another of its nodes was put together with.
        if "_class" in node.attrs and not self._partition:
            self._check_colocation(node)

    def _producer(self, text: str, node: Node) -> tuple[Node, int]:
        src = self._new.get(text)
        output = 0
        if src is None:
            name, output = validation.parse_input(text)
            src = self._new.get(name)
            if src is None:
                src = self._graph.find(name)
                if src is None:
                    raise validation.unknown_input(node.name, text)
                return src, output
        if src.id >= node.id and not is_back_edge(src, node):
            self._sorted = False
        return src, output

    def _check_colocation(self, node: Node) -> None:
        for name in colocated_with(node.attrs):
            if name not in self._new and self._graph.find(name) is None:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Node '{node.name}' expects to be colocated with unknown node '{name}'",
                )

    def in_order(self) -> list[Node]:
        """The new nodes, producers before consumers.

        Raises:
          InvalidArgumentError: They wait for each other in a circle.
        """
        nodes = list(self._new.values())
        if self._sorted:
            return nodes
        pairs = (
            (src.id, dst.id)
            for src, _, dst, _ in self.links
            if self._new.get(src.name) is src and not is_back_edge(src, dst)
        )
        order = stable_order(len(nodes), pairs)
        if len(order) < len(nodes):
            stuck = set(range(len(nodes))).difference(order)
            names = ", ".join(nodes[index].name for index in sorted(stuck)[:8])
            more = ", ..." if len(stuck) > 8 else ""
            raise InvalidArgumentError(
                None,
                None,
                f"Graph is invalid, contains a cycle with {len(stuck)} nodes, including: "
                f"{names}{more}",
            )
        return [nodes[index] for index in order]


def taken(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attrs of an operation, which may change them later; a constant lies in memory in order."""
    # Floats are rounded as they would be on their way through a message.
    taken: dict[str, Any] = {
        name: float(np.float32(value)) if type(value) is float else value
        for name, value in attrs.items()
    }
    value = taken.get("value")
    if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
        taken["value"] = np.ascontiguousarray(value)
        taken["value"].flags.writeable = False
    return taken


def colocated_with(attrs: Any) -> list[str]:
    """Names of the nodes that a node's `_class` attr puts it together with."""
    groups = attrs.get("_class", ())
    if not isinstance(groups, tuple):
        return []
    texts = (group.decode(errors="replace") for group in groups if isinstance(group, bytes))
    return [
        text[len(_COLOCATION_PREFIX) :] for text in texts if text.startswith(_COLOCATION_PREFIX)
    ]


def _output_type(src: Node, output: int, node: Node) -> DType:
    if output >= len(src.output_types):
        raise validation.invalid_output(
            node.name, src.name, output, len(src.output_types), _ALL_OUTPUTS
        )
    return src.output_types[output]


def _num_data_inputs(node_def: NodeDef) -> int:
    return sum(not text.startswith("^") for text in node_def.input)


def _merge_versions(graph: NodeGraph, added: VersionDef) -> None:
    if not len(graph):
        graph.versions.producer = added.producer
    versions.merge(graph.versions, added)
