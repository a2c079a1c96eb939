"""A number that tells pipelines apart: what datasets are made of, but for the names of nodes."""

from __future__ import annotations

import hashlib

from dataflow.graph.tensor import Tensor
from dataflow.importing.sub_graphs import extract_sub_graph
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef


def fingerprint(dataset: Tensor) -> int:
    """64 bits, with a sign, of the graph that a dataset's variant comes from."""
    name = dataset.op.name
    made = _Fingerprints(extract_sub_graph(dataset.graph.as_graph_def(), [name]))
    return int.from_bytes(made.of(name)[:8], "little", signed=True)


class _Fingerprints:
    def __init__(self, graph_def: GraphDef) -> None:
        self._nodes: dict[str, NodeDef] = {node.name: node for node in graph_def.node}
        self._functions = {each.signature.name: each for each in graph_def.library.function}
        self._known: dict[str, bytes] = {}

    def of(self, name: str) -> bytes:
        """The digest of a node with all that it needs."""
        if name not in self._known:
            node = self._nodes[name]
            parts = [node.op.encode()]
            for key, value in sorted(node.attr.items()):
                function = self._functions.get(value.func.name)
                parts += [key.encode(), _body(function) if function else _bytes(value)]
            for edge in node.input:
                source, _, output = edge.lstrip("^").partition(":")
                parts += [self.of(source), output.encode()]
            self._known[name] = hashlib.sha256(b"\0".join(parts)).digest()
        return self._known[name]


def _body(function: FunctionDef) -> bytes:
    nameless = FunctionDef()
    nameless.CopyFrom(function)
    nameless.signature.name = ""
    return _bytes(nameless)


def _bytes(message: object) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)  # type: ignore[attr-defined]
    return data
