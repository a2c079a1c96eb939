"""Puts the nodes of a function's body into a graph, in place of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from dataflow.passes.control_flow.deadness import Deadness
from dataflow.passes.control_flow.function_body import FunctionBody
from dataflow.passes.graphs.frames import find_frames
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import ENTERS, system_op
from dataflow.schema import opdef
from dataflow.values.devices import parse
from dataflow.values.dtypes import DType

Tensor = tuple[Node, int]
"""A tensor of the graph: its producer and the output."""
_NO_NODE_NAME: Final = re.compile(r"[^A-Za-z0-9_.\\/>\-]")
_GROUP: Final = b"loc:@"
_NO_ATTRS: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(slots=True)
class Site:
    """Where nodes are put into a graph, and what they have in common.

    Attributes:
        graph: The graph.
        prefix: The new names start with it. It has a part with a leading underscore, so that it is
            not in the way of names that users give.
        device: Device of nodes that name none, and what is missing in the names of others.
        created_at: Where the user made the call.
        made: Takes the new nodes, producers before consumers but for the back edges of loops.
    """

    graph: NodeGraph
    prefix: str
    device: str
    created_at: str
    made: list[Node] = field(default_factory=list)

    def within(self, name: str) -> Site:
        """A place for the nodes of a part, such as a function, which may be called `<lambda>`."""
        prefix = f"{self.prefix}{_NO_NODE_NAME.sub('_', name)}/"
        return Site(self.graph, prefix, self.device, self.created_at, self.made)

    def add(
        self,
        name: str,
        op: str,
        inputs: Sequence[Tensor] = (),
        controls: Iterable[Node] = (),
        device: str | None = None,
        attrs: Mapping[str, Any] = _NO_ATTRS,
        **own: Any,
    ) -> Node:
        """Adds a node of an op of the system.

        Args:
          name: The end of its name.
          op: The op type.
          inputs: Its inputs.
          controls: Nodes it waits for.
          device: Device asked for, if it is not that of the site.
          attrs: Attrs that the op does not know.
          **own: All attrs of the op without a default.
        """
        graph = self.graph
        op_def = system_op(op)
        complete = {a.name: own.get(a.name, a.default) for a in op_def.attrs}
        complete.update(attrs)
        node = graph.add_node(
            graph.unique_name(self.prefix + name),
            op_def,
            complete,
            self.device if device is None else device,
        )
        for slot, (src, output) in enumerate(inputs):
            graph.link(src, output, node, slot)
        for before in controls:
            graph.add_control_edge(before, node)
        return self.take(node)

    def take(self, node: Node) -> Node:
        """Counts a node that was just added among those of the site."""
        node.created_at = self.created_at
        self.made.append(node)
        return node

    def identity(self, name: str, tensor: Tensor, controls: Iterable[Node] = ()) -> Node:
        """Adds an Identity, near the tensor's producer."""
        return self.add(
            name, "Identity", [tensor], controls, tensor[0].device, T=tensor_type(tensor)
        )


@dataclass(frozen=True, slots=True)
class Inlined:
    """What stands in the place of a call.

    Attributes:
        outputs: The tensors the function returns.
        effects: Nodes that have run when the call is over, though no output may need them.
        nodes: The nodes of the body.
    """

    outputs: list[Tensor]
    effects: list[Node]
    nodes: list[Node]


def tensor_type(tensor: Tensor) -> DType:
    """Element type of a tensor, never a reference."""
    node, output = tensor
    return node.output_types[output].base_dtype


def inline(
    body: FunctionBody,
    site: Site,
    inputs: Sequence[Tensor],
    start: Node | None,
    effects: bool,
    ready: Node | None = None,
) -> Inlined:
    """Copies a body into a graph.

    What neither a result nor an effect needs is left out. A node without inputs waits for `start`,
    and so does a node that calls a function: nothing may run where the call does not.

    Args:
      body: The function.
      site: Where to.
      inputs: The arguments.
      start: What the call waits for; None if its arguments alone decide when it runs.
      effects: All stateful nodes run, not only those that the function names.
      ready: What nodes with a state wait for, whose inputs may be there before other arguments.
    """
    graph = site.graph
    late = frozenset(body.stateful) if ready is not None else frozenset()
    roots = dict.fromkeys(body.effects)
    if effects:
        roots.update(dict.fromkeys(body.stateful))
    kept = _reach([*body.results, *roots])
    arguments = {node: inputs[i] for i, node in enumerate(body.arguments)}
    twins = {node: _copy(node, body, site) for node in body.graph.nodes() if node in kept}

    def behind(node: Node, output: int) -> Tensor:
        given = arguments.get(node)
        if given is None:
            return twins[node], output
        return given if output >= 0 else (given[0], output)

    for node, twin in twins.items():
        for edge in node.in_edges:
            src, output = behind(edge.src, edge.src_output)
            graph.add_edge(src, output, twin, edge.dst_input)
        if start is not None and (not node.in_edges or is_functional(node)):
            graph.add_control_edge(start, twin)
        if ready is not None and (node in late or is_functional(node)):
            graph.add_control_edge(ready, twin)
    outputs = []
    for result in body.results:
        (edge,) = result.data_edges()
        outputs.append(behind(edge.src, edge.src_output))
    frames, deadness = find_frames(body.graph), Deadness(body.graph)
    ends: dict[Node, None] = {}
    in_branches: list[Node] = []
    for node in roots:
        twin = behind(node, -1)[0]
        if not deadness.may_not_run(node):
            ends[twin] = None
        elif not frames.get(node):
            in_branches.append(twin)
    if in_branches:
        # They may be dead where the call is not: only a trigger can wait for them.
        ran = site.add("ran", "ControlTrigger", (), in_branches)
        ends[site.add("end", "NoOp", (), (ran, start) if start else (ran,))] = None
    return Inlined(outputs, list(ends), list(twins.values()))


def is_functional(node: Node) -> bool:
    """True if an attr of the node, or its op type, names a function to call."""
    return node.op in FUNCTIONAL or opdef.find(node.op) is None


FUNCTIONAL: Final = frozenset(
    {
        *("If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile", "For"),
        *("PartitionedCall", "StatefulPartitionedCall", "RemoteCall", "SymbolicGradient"),
    }
)
"""Ops that call functions."""


def _reach(roots: Iterable[Node]) -> set[Node]:
    """The nodes that the roots wait for, but for arguments and results."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        stack.extend(edge.src for edge in node.in_edges)
    return {node for node in seen if node.op not in ("_Arg", "_Retval")}


def _copy(node: Node, body: FunctionBody, site: Site) -> Node:
    graph = site.graph
    twin = graph.add_copy(node, graph.unique_name(site.prefix + node.name))
    twin.device = _device(node.device, site.device)
    twin.attrs = _renamed(node, body, site.prefix)
    return site.take(twin)


def _device(asked: str, default: str) -> str:
    """The device of a node of a body: its own, completed by that of the call."""
    if not asked or asked == default or not default:
        return asked or default
    return parse(default).merged_with(parse(asked)).to_string()


def _renamed(node: Node, body: FunctionBody, prefix: str) -> Mapping[str, Any]:
    """The attrs of a node with the names in them made those of this call."""
    attrs = node.attrs
    if node.op in ENTERS:
        attrs = {**attrs, "frame_name": prefix.encode() + attrs["frame_name"]}
    groups = attrs.get("_class")
    if isinstance(groups, tuple):
        renamed = []
        for group in groups:
            name = group[len(_GROUP) :].decode(errors="replace") if _is_group(group) else ""
            if body.graph.find(name) is not None:
                group = _GROUP + (prefix + name).encode()
            renamed.append(group)
        attrs = {**attrs, "_class": tuple(renamed)}
    return attrs


def _is_group(group: Any) -> bool:
    return isinstance(group, bytes) and group.startswith(_GROUP)
