"""NodeGraph into GraphDef: what is sent to a worker, and what the goldens of the tests show."""

from __future__ import annotations

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values import attrs as attr_codec
from dataflow.values.dtypes import DType
from dataflow.values.garbage import uncollected


@uncollected
def to_graph_def(graph: NodeGraph) -> GraphDef:
    """The nodes, in the order of their ids, with the function library and versions.

    A node that has been placed names the device it is placed on.
    """
    graph_def = GraphDef()
    graph_def.versions.CopyFrom(graph.versions)
    for node in graph.nodes():
        _write(node, graph_def.node.add())
    for function in graph.functions.values():
        graph_def.library.function.add().CopyFrom(function)
    for name, gradient in graph.gradient_functions.items():
        graph_def.library.gradient.add(function_name=name, gradient_func=gradient)
    return graph_def


def _write(node: Node, out: NodeDef) -> None:
    out.name = node.name
    out.op = node.op
    device = node.assigned_device or node.device
    if device:
        out.device = device
    inputs = []
    controls = []
    for edge in node.data_edges():
        name = edge.src.name
        inputs.append(f"{name}:{edge.src_output}" if edge.src_output else name)
    if len(inputs) < len(node.in_edges):
        controls = ["^" + edge.src.name for edge in node.control_edges() if edge.src.id]
    out.input.extend(inputs + controls)
    kinds = node.op_def.attr_by_name
    protos = out.attr
    for name, value in node.attrs.items():
        if type(value) is DType:
            protos[name].type = value.as_datatype_enum  # type: ignore[assignment]
        elif (definition := kinds.get(name)) is None:
            attr_codec.encode_inferred(value, protos[name])
        else:
            attr_codec.encode(value, definition.kind, protos[name])
