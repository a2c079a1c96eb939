"""fold_constants: what is computed from constants only becomes a constant."""

from __future__ import annotations

import numpy as np

from dataflow.graph.graph import Graph
from dataflow.importing.import_graph import import_graph_def
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema import opdef
from dataflow.session.session import Session
from dataflow.transforms.context import Context
from dataflow.transforms.views import (
    constant_node,
    copy_of,
    needed,
    node_name_from_input,
    nodes_by_name,
    with_nodes,
)

_FLOW = frozenset(
    f"{prefix}{op}"
    for prefix in ("", "Ref")
    for op in ("Enter", "Exit", "Merge", "NextIteration", "Switch", "LoopCond")
)
_LARGEST = 10 << 20


def fold_constants(graph_def: GraphDef, context: Context) -> GraphDef:
    """Nodes without state whose inputs are all constant are computed once.

    `clear_output_shapes`, true by default, takes off what was noted of shapes;
    `max_constant_size_in_bytes` is how large a constant may become.
    """
    inputs = {node_name_from_input(name) for name in context.inputs}
    result = copy_of(needed(graph_def, {*context.outputs, *context.inputs}))
    if context.one("clear_output_shapes", "true") == "true":
        for node in result.node:
            node.attr.pop("_output_shapes", None)
    folded = _foldable(result, inputs)
    ends = {node_name_from_input(name) for name in context.outputs}
    wanted = sorted(
        {
            text if ":" in text else f"{text}:0"
            for node in result.node
            if node.name not in folded
            for text in node.input
            if node_name_from_input(text) in folded and not text.startswith("^")
        }
        | {f"{name}:0" for name in ends & folded}
    )
    values = _computed(result, [t for t in wanted if not _is_constant(result, t)])
    most = context.number("max_constant_size_in_bytes", _LARGEST)
    small = {name: value for name, value in values.items() if value.nbytes <= most}
    return needed(_with_values(result, small), {*context.outputs, *context.inputs})


def _is_constant(graph_def: GraphDef, text: str) -> bool:
    return nodes_by_name(graph_def)[node_name_from_input(text)].op == "Const"


def _foldable(graph_def: GraphDef, inputs: set[str]) -> set[str]:
    """The nodes whose values do not depend on what is fed, or on state."""
    nodes = nodes_by_name(graph_def)
    waiting = {name: len(node.input) for name, node in nodes.items()}
    takers: dict[str, list[str]] = {}
    for node in nodes.values():
        for text in node.input:
            takers.setdefault(node_name_from_input(text), []).append(node.name)
    found: set[str] = set()
    ready = [name for name, count in waiting.items() if not count]
    while ready:
        name = ready.pop()
        if name in inputs or not _has_no_state(nodes[name]):
            continue
        found.add(name)
        for taker in takers.get(name, ()):
            waiting[taker] -= 1
            if not waiting[taker]:
                ready.append(taker)
    return found


def _has_no_state(node: NodeDef) -> bool:
    if node.op == "Const":
        return True
    definition = opdef.find(node.op)
    if definition is None or definition.is_stateful or node.op in _FLOW:
        return False
    return node.op not in ("Placeholder", "PlaceholderWithDefault", "NoOp") and not any(
        value.func.name or value.list.func for value in node.attr.values()
    )


def _computed(graph_def: GraphDef, names: list[str]) -> dict[str, np.ndarray]:
    if not names:
        return {}
    with Graph().as_default() as graph, Session(graph=graph) as session:
        import_graph_def(needed(graph_def, names), name="")
        return dict(zip(names, session.run(names), strict=True))


def _with_values(graph_def: GraphDef, values: dict[str, np.ndarray]) -> GraphDef:
    nodes = []
    made: dict[str, str] = {}
    for node in graph_def.node:
        outputs = sorted(t for t in values if node_name_from_input(t) == node.name)
        for text in outputs:
            index = int(text.rpartition(":")[2])
            name = node.name if index == 0 else f"{node.name}/output_{index}"
            nodes.append(constant_node(name, values[text], node.device))
            if index:
                made[text] = name
        if f"{node.name}:0" not in values:
            nodes.append(node)
    result = with_nodes(graph_def, nodes)
    for node in result.node:
        for index, text in enumerate(node.input):
            node.input[index] = made.get(text, text)
    return result
