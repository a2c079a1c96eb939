"""Short ways to write GraphDefs and to read NodeGraphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format

from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.schema import opdef
from dataflow.values import attrs as attr_codec
from dataflow.values import dtypes
from dataflow.values.device_info import DeviceInfo

GOLDENS = Path(__file__).parent / "goldens"
TASK = "/job:localhost/replica:0/task:0"
CPU_0 = f"{TASK}/device:CPU:0"
CPU_1 = f"{TASK}/device:CPU:1"
CPU_2 = f"{TASK}/device:CPU:2"
GPU_0 = f"{TASK}/device:GPU:0"


class Nodes:
    """Builds a GraphDef node by node."""

    def __init__(self) -> None:
        self.graph_def = GraphDef()
        self.graph_def.versions.producer = 2474

    def add(
        self, op: str, name: str, inputs: Sequence[str] = (), device: str = "", **attrs: Any
    ) -> str:
        """Adds a node; attrs are decoded values. Returns its name."""
        node = self.graph_def.node.add(name=name, op=op, input=inputs, device=device)
        definition = opdef.find(op)
        assert definition is not None, op
        for key, value in attrs.items():
            known = definition.attr_by_name.get(key)
            if known is None:
                attr_codec.encode_inferred(value, node.attr[key])
            else:
                attr_codec.encode(value, known.kind, node.attr[key])
        return name

    def const(self, name: str, value: Any, controls: Sequence[str] = (), device: str = "") -> str:
        """Adds a constant; Python floats are float32."""
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        return self.add(
            "Const", name, controls, device, value=array, dtype=dtypes.as_dtype(array.dtype)
        )

    def placeholder(self, name: str, device: str = "") -> str:
        """Adds a float32 placeholder."""
        return self.add("Placeholder", name, (), device, dtype=dtypes.float32)

    def float_op(self, op: str, name: str, *inputs: str, device: str = "", **attrs: Any) -> str:
        """Adds a node whose attr T is float32."""
        return self.add(op, name, inputs, device, T=dtypes.float32, **attrs)

    def graph(self) -> NodeGraph:
        """The NodeGraph."""
        return import_graph(self.graph_def)


def devices(*names: str) -> list[DeviceInfo]:
    """Devices by full name; GPUs have the higher priority."""
    found = []
    for index, name in enumerate(names):
        kind = name.rpartition("device:")[2].split(":")[0]
        found.append(DeviceInfo(name, kind, {"GPU": 200}.get(kind, 50), incarnation=index + 1))
    return found


def everywhere(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
    """A `supports` that knows a kernel for everything."""
    return True


def no_kernels(op: str) -> list[str]:
    """A `describe` that lists nothing."""
    return []


def text(graph: NodeGraph) -> str:
    """The graph as a compact listing: `name = Op(inputs)`, a line each."""
    return "\n".join(
        f"{node.name} = {node.op}({', '.join(node.input)})" for node in to_graph_def(graph).node
    )


def names(graph: NodeGraph) -> set[str]:
    """The names of the nodes."""
    return {node.name for node in graph.nodes()}


def read_golden(name: str) -> GraphDef:
    """A GraphDef of the goldens."""
    return text_format.Parse((GOLDENS / f"{name}.pbtxt").read_text(), GraphDef())


def assert_golden(graph: NodeGraph, name: str) -> None:
    """Fails unless the graph is exactly what the golden shows."""
    path = GOLDENS / f"{name}.pbtxt"
    given = text_format.MessageToString(to_graph_def(graph))
    wanted = text_format.MessageToString(read_golden(name))
    assert given == wanted, f"{path} does not show this graph:\n{given}"


def assert_sound(graph: NodeGraph) -> None:
    """Fails unless nodes and edges agree about each other."""
    edges = list(graph.edges())
    assert len(edges) == graph.num_edges
    assert len({edge.id for edge in edges}) == len(edges)
    ends = {node.id: (set(), set()) for node in (graph.source, graph.sink, *graph.nodes())}
    for edge in edges:
        assert graph.node(edge.src.id) is edge.src and graph.node(edge.dst.id) is edge.dst
        assert (edge.src_output < 0) == (edge.dst_input < 0)
        ends[edge.src.id][1].add(edge)
        ends[edge.dst.id][0].add(edge)
    for node in (graph.source, graph.sink, *graph.nodes()):
        assert (set(node.in_edges), set(node.out_edges)) == ends[node.id]
    for node in graph.nodes():
        assert graph.find(node.name) is node
        slots = [edge.dst_input for edge in node.data_edges()]
        assert slots == sorted(slots)
    assert len(graph) == sum(1 for _ in graph.nodes())


def closed_under_inputs(graph: NodeGraph) -> Iterable[str]:
    """Names of nodes with an input missing; none in a sound graph."""
    for node in graph.nodes():
        if len(node.data_edges()) != len(node.input_types):
            yield node.name
