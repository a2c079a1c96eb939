"""Takes structured loops out of a partition that has other control flow: each becomes one node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.control_flow.levels import Level, UnstructuredError, find_levels
from dataflow.actors.control_flow.structure import AT_THE_BORDER, find_structure
from dataflow.passes.control_flow.deadness import Deadness
from dataflow.passes.graphs.system_ops import ENTERS, EXITS, system_op
from dataflow.schema import arguments as op_schema
from dataflow.schema.opdef import OpDef

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import Node, NodeGraph

_ATTRS: Final = tuple(op_schema.parse_attr(f"{name}: list(type)", "_Loop") for name in ("I", "O"))
_LOOP: Final = OpDef(
    name="_Loop",
    inputs=op_schema.parse_args("inputs: I", _ATTRS, "_Loop"),
    outputs=op_schema.parse_args("outputs: O", _ATTRS, "_Loop"),
    attrs=_ATTRS,
    shape_function=lambda c: [],
    doc="A loop as one node; never in a GraphDef. Its attr `body` is the loop's NodeGraph.",
)


def is_extracted_loop(node: Node) -> bool:
    """True for the nodes that stand for loops."""
    return node.op_def is _LOOP


def extract_loops(graph: NodeGraph, blocking: Callable[[Node], bool]) -> NodeGraph:
    """The graph with a node for each outermost loop that runs as a `while`.

    Args:
      graph: Not changed.
      blocking: True for nodes that wait for others.
    """
    try:
        level = find_levels(graph)
    except UnstructuredError:
        return graph
    bodies = list(_bodies(level, graph, blocking, Deadness(graph)))
    if not bodies:
        return graph
    rewritten = graph.copy()
    for loop, body in bodies:
        _replace(rewritten, loop, body)
    return rewritten


def _bodies(
    level: Level, graph: NodeGraph, blocking: Callable[[Node], bool], deadness: Deadness
) -> Iterator[tuple[Level, NodeGraph]]:
    for item in level.items:
        if isinstance(item, Level):
            body = _body(item, graph, blocking) if _enters_whole(item, deadness) else None
            if body is not None:
                yield item, body
            else:
                yield from _bodies(item, graph, blocking, deadness)


def _enters_whole(loop: Level, deadness: Deadness) -> bool:
    """True if all that enters the loop is there when it runs: one node runs, or does not."""
    enters = _ends(loop, ENTERS)
    constants = [node for node in enters if node.attrs["is_constant"]]
    return deadness.enters_whole([node for node in enters if node not in constants], constants)


def _body(loop: Level, graph: NodeGraph, blocking: Callable[[Node], bool]) -> NodeGraph | None:
    """The loop as a graph of its own, between arguments and results; None if it cannot be one."""
    nodes = list(_all_nodes(loop))
    if any(node.op == "RefEnter" or node.op in AT_THE_BORDER or blocking(node) for node in nodes):
        return None
    body = graph.empty_copy()
    twins = {node: body.add_copy(node) for node in nodes}
    for index, enter in enumerate(_ends(loop, ENTERS)):
        argument = body.add_node(
            body.unique_name("_loop_argument"),
            system_op("_Arg"),
            {"T": enter.attrs["T"], "index": index},
            assigned_device=enter.assigned_device,
        )
        body.link(argument, 0, twins[enter], 0)
    for node, twin in twins.items():
        for edge in node.in_edges:
            if edge.src in twins:
                body.link(twins[edge.src], edge.src_output, twin, edge.dst_input)
    for index, leaving in enumerate(_ends(loop, EXITS)):
        result = body.add_node(
            body.unique_name("_loop_result"),
            system_op("_Retval"),
            {"T": leaving.attrs["T"], "index": index},
            assigned_device=leaving.assigned_device,
        )
        body.link(twins[leaving], 0, result, 0)
    try:
        find_structure(body, blocking)
    except UnstructuredError:
        return None
    return body


def _all_nodes(level: Level) -> Iterator[Node]:
    for item in level.items:
        if isinstance(item, Level):
            yield from _all_nodes(item)
        else:
            yield item


def _ends(loop: Level, ops: frozenset[str]) -> list[Node]:
    """The Enters or the Exits of a loop, in the order of their ids."""
    return sorted((node for node in loop.nodes() if node.op in ops), key=lambda node: node.id)


def _replace(graph: NodeGraph, loop: Level, body: NodeGraph) -> None:
    """Puts one node in the place of a loop; the graph has the ids of the one it was found in."""
    enters = [graph.node(node.id) for node in _ends(loop, ENTERS)]
    exits = [graph.node(node.id) for node in _ends(loop, EXITS)]
    attrs: dict[str, Any] = {
        "I": tuple(node.attrs["T"] for node in enters),
        "O": tuple(node.attrs["T"].base_dtype for node in exits),
        "body": body,
    }
    name = graph.unique_name(loop.frame[-1])
    call = graph.add_node(name, _LOOP, attrs, assigned_device=enters[0].assigned_device)
    for index, node in enumerate(enters):
        for edge in tuple(node.in_edges):
            if edge.is_control:
                graph.add_control_edge(edge.src, call)
            else:
                graph.link(edge.src, edge.src_output, call, index)
    for index, node in enumerate(exits):
        for edge in tuple(node.out_edges):
            if edge.is_control:
                graph.add_control_edge(call, edge.dst)
            else:
                graph.link(call, index, edge.dst, edge.dst_input)
    for inner in [graph.node(node.id) for node in _all_nodes(loop)]:
        graph.remove_node(inner)
