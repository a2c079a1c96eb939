"""The edits that simplifications are made of, and the conditions under which they are allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dataflow.passes.algebra.fold import MAX_FOLDED_BYTES
from dataflow.passes.algebra.static_shapes import StaticShapes
from dataflow.passes.graphs.conditional import conditional_nodes
from dataflow.passes.graphs.node_graph import CONTROL_SLOT, Edge, Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.state_order import StateOrder
from dataflow.passes.graphs.system_ops import CALLS, CONTROL_FLOW, PLACEHOLDERS, PLUMBING, system_op
from dataflow.schema import opdef
from dataflow.schema.opdef import OpDef

_KEPT: Final = CALLS | CONTROL_FLOW | PLACEHOLDERS | PLUMBING | {"Assert", "CheckNumerics"}
"""They do something even if nobody uses what they give."""


class Rewriter:
    """Edits a graph in place. An edit that would change what a step does is refused.

    Attributes:
        graph: The graph.
        shapes: What is known of its shapes.
        changed: True after an edit.
        added_constants: True after an edit that made something constant.
    """

    __slots__ = (
        "_conditional",
        "_has_control_flow",
        "_has_writers",
        "_made",
        "_order",
        "_targets",
        "_unused",
        "added_constants",
        "changed",
        "graph",
        "shapes",
    )

    def __init__(self, graph: NodeGraph, shapes: StaticShapes, targets: Collection[str]) -> None:
        self.graph = graph
        self.shapes = shapes
        self.changed = False
        self.added_constants = False
        self._targets = targets
        self._has_control_flow = any(node.op in CONTROL_FLOW for node in graph.nodes())
        self._has_writers = any(_takes_reference(node.op_def) for node in graph.nodes())
        self._conditional = conditional_nodes(graph) if self._has_control_flow else set()
        self._order: StateOrder | None = None
        self._unused: dict[Node, None] = {}
        self._made: set[Node] = set()

    @staticmethod
    def constant(edge: Edge) -> np.ndarray | None:
        """The value of a constant that is there from the start of a step; None for all else."""
        node = edge.src
        if node.op != "Const" or node.in_edges:
            return None
        value: np.ndarray = node.attrs["value"]
        return value

    def is_given(self, edge: Edge) -> bool:
        """True for a constant that was there before the first edit."""
        return edge.src.op == "Const" and edge.src not in self._made

    def has_node(self, node: Node) -> bool:
        """True if the node has not been removed."""
        return self.graph.find(node.name) is node

    def bypass(self, node: Node, edge: Edge) -> bool:
        """Lets the users of a node's only output take what another edge carries.

        The edge leads to the node, or to one on the way to it that waits for nothing else.

        Returns:
          False if the node has to stay; nothing has changed then.
        """
        return len(node.output_types) == 1 and self.bypass_each(node, (edge,))

    def bypass_each(self, node: Node, edges: Sequence[Edge]) -> bool:
        """Lets the users of each output of a node take what an edge carries; see `bypass`."""
        if node.name in self._targets or len(node.data_edges()) != len(node.in_edges):
            return False
        if not all(self._may_stand_for(edge, node) for edge in edges):
            return False
        # One dead input makes all outputs dead.
        if len(edges) > 1 and self._has_control_flow:
            return False
        if not self._may_lose(node, edges):
            return False
        sources = [(edge.src, edge.src_output) for edge in edges]
        for out in list(node.out_edges):
            if out.is_control:
                self.graph.move_source(out, sources[0][0], CONTROL_SLOT)
            else:
                self.graph.move_source(out, *sources[out.src_output])
        self._unused.update(dict.fromkeys(e.src for e in node.in_edges))
        self.graph.remove_node(node)
        self.changed = True
        return True

    def replace(self, node: Node, output: int, value: np.ndarray) -> bool:
        """Lets the users of an output take a constant instead.

        Returns:
          False if the output has to stay; nothing has changed then.
        """
        if node.name in self._targets or value.nbytes > MAX_FOLDED_BYTES:
            return False
        edges = [e for e in node.out_edges if e.src_output == output]
        alone = len(node.output_types) == 1
        if alone:
            edges += [e for e in node.out_edges if e.is_control]
        if not edges:
            return False
        producers = dict.fromkeys(e.src for e in node.in_edges)
        held = node in self._conditional or self._has_control_flow
        anchored = held and (
            node in self._conditional or any(map(self._depends_on_state, producers))
        )
        if anchored and any(p.op in CONTROL_FLOW for p in producers):
            return False
        waits = producers if anchored else dict.fromkeys(e.src for e in node.control_edges())
        if not held:
            self._note_order()
        ordered = dict.fromkeys(e.src for e in node.in_edges)
        attrs = {"value": _frozen(value), "dtype": node.output_types[output]}
        name, place = node.name, (node.device, node.assigned_device)
        if alone:
            # Away first, so that the constant takes over name and id.
            followers = [(e.dst, e.dst_input) for e in edges]
            inputs = list(producers)
            self.graph.remove_node(node)
            constant = self.graph.add_node(name, system_op("Const"), attrs, *place)
            for dst, slot in followers:
                if slot >= 0:
                    self.graph.link(constant, 0, dst, slot)
                    continue
                self.graph.add_control_edge(constant, dst)
                for before in ordered:
                    if before.op not in CONTROL_FLOW:
                        self.graph.add_control_edge(before, dst)
            self._unused.update(dict.fromkeys(inputs))
        else:
            name = self.graph.unique_name(f"{name}/output_{output}")
            constant = self.graph.add_node(name, system_op("Const"), attrs, *place)
            for edge in edges:
                self.graph.move_source(edge, constant, 0)
            self._unused[node] = None
        constant.created_at = node.created_at
        for before in waits:
            self.graph.add_control_edge(before, constant)
        self._made.add(constant)
        self.changed = self.added_constants = True
        return True

    def constant_input(self, edge: Edge, value: np.ndarray) -> bool:
        """Gives one input of a node a constant value of its own.

        Returns:
          False if the input has to stay; nothing has changed then.
        """
        node, before = edge.dst, edge.src
        if self._has_control_flow and (node in self._conditional or self._depends_on_state(before)):
            return False
        if not self._has_control_flow:
            self._note_order()
        constant = self.graph.add_node(
            self.graph.unique_name(f"{node.name}/constant"),
            system_op("Const"),
            {"value": _frozen(value), "dtype": before.output_types[edge.src_output]},
            node.device,
            node.assigned_device,
        )
        constant.created_at = node.created_at
        self._made.add(constant)
        self.graph.move_source(edge, constant, 0)
        self._unused[before] = None
        self.changed = self.added_constants = True
        return True

    def take(self, edge: Edge, source: Edge) -> None:
        """Lets an input come from where another edge comes from, on the way to the same node."""
        before = edge.src
        self._note_order()
        self.graph.move_source(edge, source.src, source.src_output)
        self._unused[before] = None
        self.changed = True

    def may_take(self, edge: Edge, source: Edge) -> bool:
        """True if an input may come from `source`, which leads to the node it comes from now.

        The node between them must not wait for anything else.
        """
        between = edge.src
        return (
            not self._reads_state(source)
            and between.assigned_device == edge.dst.assigned_device == source.src.assigned_device
            and not between.control_edges()
            and not (
                self._has_control_flow
                and (source.src.op in CONTROL_FLOW or between in self._conditional)
            )
        )

    def open_gates(self) -> None:
        """Lets nodes no longer wait for others of which only the time tells that they have run.

        The gradients of an op wait for each other so. What reads or writes state keeps its order.
        """
        if self._has_control_flow:
            return
        gates = [
            edge
            for node in self.graph.nodes()
            if len(node.in_edges) > len(node.input_types)
            for edge in node.control_edges()
            if _only_computes(edge.src)
        ]
        if gates:
            self._note_order()
            self.changed = True
        for edge in gates:
            self._unused[edge.src] = None
            self.graph.remove_edge(edge)

    def retype(
        self, node: Node, op: str, attrs: Mapping[str, Any], drop: Edge | None = None
    ) -> bool:
        """Makes a node one of another op type, of the same outputs; `drop` is an input it loses.

        Returns:
          False if the op type does not take these types; nothing has changed then.
        """
        op_def = opdef.find(op)
        if op_def is None or any(
            value not in definition.allowed
            for name, value in attrs.items()
            if (definition := op_def.attr_by_name.get(name)) and definition.allowed is not None
        ):
            return False
        if drop is not None:
            self._unused[drop.src] = None
            self.graph.remove_edge(drop)
            for edge in node.data_edges():
                if edge.dst_input > drop.dst_input:
                    edge.dst_input -= 1
        node.op, node.op_def, node.attrs = op, op_def, attrs
        node.input_types = tuple(op_def.input_types(attrs))
        node.output_types = tuple(op_def.output_types(attrs))
        self.changed = True
        return True

    def finish(self) -> None:
        """Removes what nobody uses any more, and keeps reads and writes of state in order."""
        while self._unused:
            node, _ = self._unused.popitem()
            if self.has_node(node) and self._is_dead(node):
                self._unused.update(dict.fromkeys(e.src for e in node.in_edges))
                self.graph.remove_node(node)
        if self._order is not None and not self._has_control_flow:
            self._order.restore(self.graph)
        if self.added_constants:
            # So that the next passes find the nodes in order.
            self.graph.renumber(topological_order(self.graph))

    def _may_stand_for(self, edge: Edge, node: Node) -> bool:
        src = edge.src
        if self._reads_state(edge) or node.assigned_device != src.assigned_device:
            return False
        if any(dtype._is_ref_dtype for dtype in node.output_types):
            return False
        if not self._has_control_flow:
            return True
        return src.op not in CONTROL_FLOW and all(
            out.dst.op not in CONTROL_FLOW for out in node.out_edges
        )

    def _is_dead(self, node: Node) -> bool:
        return not (
            node.out_edges
            or node.op_def.is_stateful
            or node.op in _KEPT
            or node.name in self._targets
            # A variable that is read must have a value.
            or any(e.dtype._is_ref_dtype for e in node.data_edges())
        )

    def _may_lose(self, node: Node, kept: Sequence[Edge]) -> bool:
        """True if who comes after a node need not wait for its other inputs."""
        others = [edge.src for edge in node.in_edges if edge not in kept]
        if all(other.op == "Const" and not other.in_edges for other in others):
            return len(kept) == 1 or not any(out.is_control for out in node.out_edges)
        if self._has_control_flow:
            return False
        self._note_order()
        return not any(out.is_control for out in node.out_edges)

    def _reads_state(self, edge: Edge) -> bool:
        """True if whoever takes the tensor reads a variable that another node may write to."""
        if edge.dtype._is_ref_dtype:
            return True
        if not self._has_writers:
            return False
        while edge.src.op == "Identity":
            # It passes on the reference, so that its users read at their own time.
            (edge,) = edge.src.data_edges()
            if edge.dtype._is_ref_dtype:
                return True
        return False

    def _note_order(self) -> None:
        """Takes note of the order of state before the first edit that could change it."""
        if self._order is None:
            self._order = StateOrder(self.graph)

    def _depends_on_state(self, node: Node) -> bool:
        self._note_order()
        assert self._order is not None
        return self._order.depends_on_state(node)


def _only_computes(node: Node) -> bool:
    return not (
        node.op_def.is_stateful
        or node.op in _KEPT
        or any(dtype._is_ref_dtype for dtype in node.output_types)
    )


@lru_cache(maxsize=4096)
def _takes_reference(op_def: OpDef) -> bool:
    return any(arg.is_ref for arg in op_def.inputs)


def _frozen(value: np.ndarray) -> np.ndarray:
    value = value.view()
    value.flags.writeable = False
    return value
