"""Parts of a graph told without the names that a split makes up, to compare two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef

_Key = tuple[bytes, ...]


def told(parts: Iterable[GraphDef]) -> Counter[str]:
    """All nodes of the parts, each as "device: what = op(inputs)", by how often they are there.

    A transfer is called by what it carries, a control loop's node by its part in the loop, a copy
    of a constant by what it copies. What takes a fetch to the client is left out.
    """
    return _Teller(parts).tell()


class _Teller:
    def __init__(self, parts: Iterable[GraphDef]) -> None:
        self._nodes: dict[str, NodeDef] = {}
        self._sends: dict[_Key, NodeDef] = {}
        for part in parts:
            for node in part.node:
                # TensorFlow notes here in which memory the tensor is, and which library is used.
                node.op = node.op.replace("_Host", "_").removeprefix("_Mkl")
                assert node.name not in self._nodes
                self._nodes[node.name] = node
                if node.op == "_Send":
                    assert _key(node) not in self._sends
                    self._sends[_key(node)] = node
        self._titles: dict[str, str] = {}
        self._starts = {
            node.input[0]
            for node in self._nodes.values()
            if node.op == "Enter" and node.name.startswith("_cloop")
        }

    def tell(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for node in self._nodes.values():
            if node.op == "_Retval" or node.attr["client_terminated"].b:
                continue
            inputs = [self._input(text) for text in node.input]
            if node.op == "_Send":
                # Ours may wait for more, see `test_reference_reads.py`.
                inputs = inputs[:1]
            data = [text for text in inputs if text[0] != "^"]
            controls = sorted({text for text in inputs if text[0] == "^"})
            if node.op != "_Recv":
                # Which of a tensor's consumers keeps the edge from its control loop is open.
                controls = [text for text in controls if not text.startswith("^<loop ")]
            title = f"{node.device}: {self._title(node.name)} = {node.op}"
            found[f"{title}({', '.join(data + controls)})"] += 1
        return found

    def _input(self, text: str) -> str:
        mark = "^" if text[0] == "^" else ""
        name, colon, slot = text[len(mark) :].partition(":")
        return f"{mark}{self._title(name)}{colon}{slot}"

    def _title(self, name: str) -> str:
        if name not in self._titles:
            self._titles[name] = self._find_title(self._nodes[name])
        return self._titles[name]

    def _find_title(self, node: NodeDef) -> str:
        if node.name.startswith("_cloop"):
            if node.op == "Enter":
                constant = node.attr["is_constant"].b
                rounds = node.attr["parallel_iterations"].i
                frame = node.attr["frame_name"].s.decode()
                return f"<loop {frame} {rounds} {constant}>"
            return self._title(node.input[0].partition(":")[0])
        if node.op == "_Recv":
            send = self._sends[_key(node)]
            assert send.attr["T"].type == node.attr["tensor_type"].type
            return f"<{self._input(send.input[0])} from {send.device}>"
        if node.op == "_Send":
            return f"<{self._input(node.input[0])} to {node.attr['recv_device'].s.decode()}>"
        if node.name in self._starts and node.op == "Const" and not node.input:
            return "<start>"
        if "/ctrl/_" in node.name or "/ctrl_" in node.name:
            return f"<after {self._input(node.input[0])}>"
        if node.op == "Identity" and self._nodes[node.input[0].partition(":")[0]].op == "_Recv":
            before = self._title(node.input[0])
            if "<after" in before:
                return f"<that {before}>"
        return node.name.partition("/replicate/")[0]


def _key(node: NodeDef) -> _Key:
    return tuple(node.attr[key].s for key in ("send_device", "recv_device", "tensor_name"))
