"""Sub-graphs of GraphDefs, frozen variables, graphs without what only training needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.importing.errors import invalid
from dataflow.importing.variable_freezing import freeze_variables
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.node_validation import parse_input
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_VARIABLE_OPS = {
    "Assign",
    "AssignAdd",
    "AssignSub",
    "Queue",
    "ScatterAdd",
    "ScatterSub",
    "ScatterUpdate",
    "TruncatedNormal",
    "Variable",
    "VariableV2",
}
_SPLICED = {"Identity", "StopGradient"}


def extract_sub_graph(graph_def: GraphDef, dest_nodes: Iterable[str]) -> GraphDef:
    """The nodes that some of `dest_nodes` need, in the order they had.

    Args:
      graph_def: The graph.
      dest_nodes: Names of nodes.

    Raises:
      TypeError: `graph_def` is no GraphDef or `dest_nodes` a single string.
      AssertionError: One of `dest_nodes` is not in the graph.
      InvalidGraphDefError: (a ValueError) A node needs one that is not in the graph.
    """
    if not isinstance(graph_def, GraphDef):
        raise TypeError(
            f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}."
        )
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    pending = list(dest_nodes)
    for name in pending:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    kept: set[str] = set()
    while pending:
        name = pending.pop()
        if name in kept:
            continue
        kept.add(name)
        node = nodes[name]
        for needed in [*(parse_input(text)[0] for text in node.input), *_colocated(node)]:
            if needed not in nodes:
                raise invalid(
                    node, f"Node '{name}' needs node '{needed}', which is not in the graph"
                )
            pending.append(needed)
    result = GraphDef()
    result.node.extend(node for node in graph_def.node if node.name in kept)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _colocated(node: NodeDef) -> list[str]:
    if "_class" not in node.attr:
        return []
    groups = [group.decode(errors="replace") for group in node.attr["_class"].list.s]
    return [group.removeprefix("loc:@") for group in groups]


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: GraphDef,
    output_node_names: Iterable[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> GraphDef:
    """A graph with the values its variables have in a session in place of the variables.

    Args:
      sess: A session that holds the variables.
      input_graph_def: The graph.
      output_node_names: Nodes to keep, with all that they need.
      variable_names_whitelist: The variables to convert; by default all.
      variable_names_blacklist: Variables to leave as they are.

    Raises:
      AssertionError: An output node is not in the graph.
      FailedPreconditionError: A variable is not initialised.
      ValueError: A node needs a resource variable itself, not its value.
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)

    def chosen(name: str) -> bool:
        listed = variable_names_whitelist is None or name in variable_names_whitelist
        return listed and name not in (variable_names_blacklist or ())

    return freeze_variables(sess, graph_def, chosen)


def must_run_on_cpu(node: Operation | NodeDef, pin_variables_on_cpu: bool = False) -> bool:
    """True if a node handles strings or int32 in a way that only a CPU does.

    Args:
      node: The node.
      pin_variables_on_cpu: Counts variables and their updates among such nodes.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and node_def.op in _VARIABLE_OPS:
        return True
    decisive = {
        "Const": ("dtype", (dtypes.string, dtypes.int32)),
        "DynamicStitch": ("T", (dtypes.int32,)),
        "ParallelDynamicStitch": ("T", (dtypes.int32,)),
        "Cast": ("SrcT", (dtypes.int32,)),
    }
    if node_def.op not in decisive:
        return False
    attr, on_cpu = decisive[node_def.op]
    if attr not in node_def.attr:
        return False
    return node_def.attr[attr].type in {dtype.as_datatype_enum for dtype in on_cpu}


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The static shape of a tensor named as in NodeDef: "a" is "a:0"."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).shape


def remove_training_nodes(
    input_graph: GraphDef, protected_nodes: Collection[str] | None = None
) -> GraphDef:
    """A graph without nodes that only training needs.

    CheckNumerics nodes, and those Identity and StopGradient nodes that have nothing to do with
    control edges or colocation, give way to their input.

    Args:
      input_graph: The graph.
      protected_nodes: Names of nodes to keep.

    Raises:
      InvalidGraphDefError: (a ValueError) Nodes to splice out are each other's input.
    """
    protected = set(protected_nodes or ())
    checks = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op == "CheckNumerics" and node.name not in protected and node.input
    }
    waits = {f"^{name}" for name in checks}
    nodes = [
        _with_inputs(node, [_through(t, checks) for t in node.input if t not in waits])
        for node in input_graph.node
        if node.name not in checks
    ]
    pinned = set(protected)
    for node in nodes:
        control = [text[1:] for text in node.input if text.startswith("^")]
        if control:
            pinned.update(control, (node.name,))
        pinned.update(_colocated(node))
    spliced = {
        node.name: node.input[0]
        for node in nodes
        if node.op in _SPLICED and node.name not in pinned and node.input
    }
    result = GraphDef()
    result.node.extend(
        _with_inputs(node, [_through(text, spliced) for text in node.input])
        for node in nodes
        if node.name not in spliced
    )
    return result


def _through(text: str, removed: Mapping[str, str]) -> str:
    """The input to take instead of an output 0 of removed nodes, which pass on their input."""
    passed: set[str] = set()
    while (name := text.removesuffix(":0")) in removed:
        if name in passed:
            raise invalid(None, f"{len(passed)} nodes in a cycle: {', '.join(sorted(passed))}")
        passed.add(name)
        text = removed[name]
    return text


def _with_inputs(node: NodeDef, inputs: list[str]) -> NodeDef:
    copy = NodeDef()
    copy.CopyFrom(node)
    del copy.input[:]
    copy.input.extend(inputs)
    return copy
