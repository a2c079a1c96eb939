"""The splits: transfers as TensorFlow makes them, and the whole that the parts make again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.errors import InternalError
from dataflow.passes.control_flow.control_loop import add_control_loops
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import SplitLevel, split_by_device, split_by_worker
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes import oracle
from tests.passes.building import (
    CPU_0,
    CPU_1,
    CPU_2,
    Nodes,
    assert_golden,
    assert_sound,
    closed_under_inputs,
    devices,
    everywhere,
    names,
    no_kernels,
    read_golden,
    text,
)

CPUS = (CPU_0, CPU_1, CPU_2)
CPU = "/device:CPU:%d"


def _placed(graph_def: GraphDef, *device_names: str) -> NodeGraph:
    graph = import_graph(graph_def)
    available = devices(*(device_names or CPUS))
    graph.assign(place(graph, available, everywhere, no_kernels))
    return graph


def _key(node: NodeDef) -> tuple[bytes, ...]:
    return tuple(node.attr[key].s for key in ("send_device", "recv_device", "tensor_name"))


class Joined:
    """The parts of a graph put together again: transfers replaced by what they carry."""

    def __init__(self, parts: Iterable[GraphDef]) -> None:
        self.sent: dict[tuple[bytes, ...], NodeDef] = {}
        self.nodes: dict[str, NodeDef] = {}
        self.transfers: Counter[tuple[str, str, str]] = Counter()
        for part in parts:
            for node in part.node:
                # TensorFlow notes here which memory the consumer wants; our executor knows.
                node.op = node.op.replace("_HostRecv", "_Recv").replace("_HostSend", "_Send")
                self.nodes[node.name] = node
                if node.op == "_Send":
                    assert _key(node) not in self.sent
                    self.sent[_key(node)] = node

    def origin(self, text: str) -> str:
        """What an input is in the graph before the split."""
        if text.startswith("^"):
            node = self.nodes[text[1:]]
            if self._is_added(node):
                (received,) = node.input
                return self._order(self.nodes[received])
            return text
        node = self.nodes[text.partition(":")[0]]
        if node.op != "_Recv":
            return text
        return self.origin(self._peer(node).input[0])

    def _is_added(self, node: NodeDef) -> bool:
        marked = any(infix in node.name for infix in ("/_", "_S", "_G"))
        return node.op == "Identity" and marked and self.nodes[node.input[0]].op == "_Recv"

    def _order(self, recv: NodeDef) -> str:
        """The control input that a transfer of an empty constant stands for."""
        signal = self.nodes[self._peer(recv).input[0]]
        if signal.op == "_Recv":
            return self._order(signal)
        assert signal.op == "Const" and signal.attr["dtype"].type == 1
        (before,) = signal.input
        return self.origin(before)

    def _peer(self, recv: NodeDef) -> NodeDef:
        """The Send of a Recv, which must agree on everything."""
        send = self.sent[_key(recv)]
        assert send.attr["send_device_incarnation"] == recv.attr["send_device_incarnation"]
        assert send.attr["T"].type == recv.attr["tensor_type"].type
        assert (send.device, recv.device) == (
            send.attr["send_device"].s.decode(),
            recv.attr["recv_device"].s.decode(),
        )
        assert not send.attr["client_terminated"].b and not recv.attr["client_terminated"].b
        return send

    def listing(self) -> set[str]:
        """The nodes of the graph before the split: device, name and inputs."""
        added = set()
        for node in self.nodes.values():
            if node.op in ("_Send", "_Recv") or self._is_added(node) or "/ctrl" in node.name:
                added.add(node.name)
        return {
            f"{n.device}: {n.name} = {n.op}({', '.join(self._inputs(n))})"
            for n in self.nodes.values()
            if n.name not in added
        }

    def _inputs(self, node: NodeDef) -> list[str]:
        found = [self.origin(text) for text in node.input]
        data = [text for text in found if not text.startswith("^")]
        return data + sorted({text for text in found if text.startswith("^")})

    def pairs(self) -> Counter[tuple[str, str, str]]:
        """Number of transfers by what is carried, from where, to where."""
        counts: Counter[tuple[str, str, str]] = Counter()
        for node in self.nodes.values():
            if node.op == "_Recv":
                send = self._peer(node)
                carried = self.origin(send.input[0])
                if "/ctrl" in carried:
                    carried = self._order(node)
                counts[carried, send.device, node.device] += 1
        return counts


def _joined(parts: Mapping[str, NodeGraph]) -> Joined:
    return Joined([to_graph_def(part) for part in parts.values()])


def _listing(graph: NodeGraph) -> set[str]:
    return {
        f"{n.device}: {n.name} = {n.op}({', '.join(_sorted_inputs(n.input))})"
        for n in to_graph_def(graph).node
    }


def _sorted_inputs(inputs: Iterable[str]) -> list[str]:
    inputs = list(inputs)
    return [t for t in inputs if t[0] != "^"] + sorted(t for t in inputs if t[0] == "^")


def _diamond(nodes: Nodes) -> None:
    nodes.const("axis", np.int32(0), device=CPU % 1)
    nodes.const("c", [1.0, 2.0], device=CPU % 1)
    nodes.add("Split", "s", ["axis", "c"], CPU % 1, num_split=2, T=dtypes.float32)
    nodes.float_op("Add", "a", "s", "s:1", device=CPU % 0)
    nodes.float_op("Add", "again", "s", "s", device=CPU % 0)
    nodes.float_op("Neg", "third", "s", device=CPU % 2)
    nodes.float_op("Add", "back", "third", "s", device=CPU % 1)


def _controls(nodes: Nodes) -> None:
    nodes.const("c", 1.0, device=CPU % 0)
    nodes.add("NoOp", "n", ["^c"], CPU % 0)
    nodes.add("NoOp", "one", ["^n"], CPU % 1)
    nodes.add("NoOp", "two", ["^n"], CPU % 1)
    nodes.add("NoOp", "three", ["^n", "^two"], CPU % 2)
    nodes.float_op("Neg", "both", "c", "^c", "^three", device=CPU % 1)


def _variable_reads(nodes: Nodes) -> None:
    nodes.add("VariableV2", "v", (), CPU % 1, dtype=dtypes.float32, shape=TensorShape([]))
    nodes.const("one", 1.0, device=CPU % 1)
    nodes.float_op("Assign", "init", "v", "one", device=CPU % 1)
    nodes.add("NoOp", "started", ["^init"], CPU % 0)
    nodes.const("k", 3.0, ["^started"], device=CPU % 0)
    nodes.float_op("Add", "w", "v", "v", "^started", device=CPU % 0)
    nodes.float_op("Add", "u", "v", "w", device=CPU % 0)
    nodes.float_op("Add", "local", "k", "w", device=CPU % 0)


def _conditional(nodes: Nodes) -> None:
    nodes.const("p", np.bool_(True), device=CPU % 0)
    nodes.const("x", 1.0, device=CPU % 1)
    nodes.float_op("Switch", "sw", "x", "p", device=CPU % 1)
    nodes.float_op("Neg", "no", "sw", device=CPU % 0)
    nodes.float_op("Reciprocal", "yes", "sw:1", device=CPU % 2)
    nodes.float_op("Identity", "pivot", "sw:1", device=CPU % 1)
    nodes.const("in_branch", 5.0, ["^pivot"], device=CPU % 2)
    nodes.float_op("Add", "more", "yes", "in_branch", device=CPU % 2)
    nodes.float_op("Merge", "m", "no", "more", N=2, device=CPU % 0)


@pytest.mark.parametrize("build", [_diamond, _controls, _variable_reads, _conditional])
def test_the_transfers_are_tensorflows(build: Any) -> None:
    nodes = Nodes()
    build(nodes)
    targets = [node.name for node in nodes.graph_def.node]
    first = ["init"] if build is _variable_reads else []
    theirs = oracle.partitions(nodes.graph_def, 3, [], targets, first=first)
    ours = split_by_device(_placed(nodes.graph_def), devices(*CPUS))
    wanted, found = Joined(theirs.by_device.values()), _joined(ours)
    assert found.pairs() == wanted.pairs()
    assert found.listing() == wanted.listing()
    waits = _recv_waits(ours.values())
    assert waits == _recv_waits(map(import_partition, theirs.by_device.values()))
    assert waits == ({("v", "started"), ("v", "w")} if build is _variable_reads else set())


def import_partition(part: GraphDef) -> NodeGraph:
    return import_graph(part, partition=True)


def _recv_waits(parts: Iterable[NodeGraph]) -> set[tuple[str, ...]]:
    """What each Recv waits for."""
    return {
        (edge.dst.name.rpartition("/_")[0], edge.src.name.rpartition("/_")[0] or edge.src.name)
        for part in parts
        for node in part.nodes()
        if node.op == "_Recv"
        for edge in node.in_edges
    }


def test_golden_by_device() -> None:
    # One Send of s for two consumers on CPU:1, none for the consumer on CPU:0; the control edge
    # from n goes as an empty constant that the Identity s on the other side waits for.
    parts = split_by_device(import_placed("split_by_device"), devices(CPU_0, CPU_1))
    assert list(parts) == [CPU_0, CPU_1]
    assert_golden(parts[CPU_0], "split_by_device_cpu0")
    assert_golden(parts[CPU_1], "split_by_device_cpu1")


def test_golden_by_worker() -> None:
    # The ps sends v once to the worker, to the first consumer's device; the other device of the
    # worker gets it from there in the second split, which leaves the pair with the ps alone.
    graph = import_placed("split_by_worker")
    cluster = devices(*sorted({node.assigned_device for node in graph.nodes()}))
    by_task = split_by_worker(graph, cluster)
    assert list(by_task) == ["/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0"]
    assert_golden(by_task["/job:ps/replica:0/task:0"], "split_by_worker_ps")
    worker = by_task["/job:worker/replica:0/task:0"]
    assert_golden(worker, "split_by_worker_worker")
    parts = split_by_device(worker, devices(), SplitLevel.IN_WORKER)
    assert text(parts["/job:worker/replica:0/task:0/device:CPU:0"]).splitlines() == [
        "v_S1 = _Recv()",
        "a = Neg(v_S1)",
        "v_S1_G0 = _Send(v_S1)",
    ]
    assert text(parts["/job:worker/replica:0/task:0/device:CPU:1"]).splitlines() == [
        "v_S1_G1 = _Recv()",
        "b = Neg(v_S1_G1)",
    ]


def import_placed(golden: str) -> NodeGraph:
    return import_graph(read_golden(golden), partition=True)


def test_incarnations_are_the_senders() -> None:
    nodes = Nodes()
    _diamond(nodes)
    parts = split_by_device(_placed(nodes.graph_def), devices(*CPUS))
    numbers = {device.name: device.incarnation for device in devices(*CPUS)}
    assert len(set(numbers.values())) == 3
    for part in parts.values():
        for node in part.nodes():
            if node.op in ("_Send", "_Recv"):
                sender = node.attrs["send_device"].decode()
                assert node.attrs["send_device_incarnation"] == numbers[sender]


def test_one_part_is_the_graph_itself() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    graph = _placed(nodes.graph_def)
    assert split_by_device(graph, devices(*CPUS)) == {CPU_0: graph}
    assert split_by_worker(graph, devices(*CPUS)) == {"/job:localhost/replica:0/task:0": graph}
    assert split_by_device(NodeGraph(), devices(*CPUS)) == {}


def test_names_that_are_taken_are_passed_over() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0, device=CPU % 0)
    nodes.const("a/_0", 1.0, device=CPU % 1)
    nodes.const("a/_2", 1.0, device=CPU % 0)
    nodes.float_op("Add", "b", "a", "a/_0", device=CPU % 1)
    parts = split_by_device(_placed(nodes.graph_def), devices(*CPUS))
    assert names(parts[CPU_0]) == {"a", "a/_1", "a/_2"}
    assert names(parts[CPU_1]) == {"a/_0", "b", "a/_3"}


def test_the_parts_survive_the_way_to_a_worker() -> None:
    nodes = Nodes()
    _diamond(nodes)
    nodes.graph_def.node[-1].attr["_class"].list.s.append(b"loc:@c")
    graph = _placed(nodes.graph_def)
    for part in split_by_device(graph, devices(*CPUS)).values():
        again = import_partition(to_graph_def(part))
        assert to_graph_def(again) == to_graph_def(part)
        assert [n.assigned_device for n in again.nodes()] == [
            n.assigned_device for n in part.nodes()
        ]


def test_errors() -> None:
    nodes = Nodes()
    nodes.add("VariableV2", "v", (), CPU % 0, dtype=dtypes.float32, shape=TensorShape([]))
    nodes.const("one", 1.0, device=CPU % 0)
    nodes.float_op("Assign", "init", "v", "one", device=CPU % 0)
    graph = nodes.graph()
    with pytest.raises(InternalError, match="Node 'v' has not been placed"):
        split_by_device(graph, devices(*CPUS))
    graph.assign({"v": CPU_0, "one": CPU_0, "init": CPU_1})
    with pytest.raises(InternalError, match="Input 0 of 'init' is a float32_ref, which cannot go"):
        split_by_device(graph, devices(*CPUS))


def _loop(device: str) -> NodeGraph:
    nodes = Nodes()
    nodes.const("a", 1.0, device=CPU % 1)
    nodes.float_op("Enter", "enter", "a", frame_name=b"outer/while")
    nodes.float_op("Merge", "merge", "enter", "next", N=2)
    nodes.float_op("Less", "less", "merge", "merge")
    nodes.add("LoopCond", "cond", ["less"])
    nodes.float_op("Switch", "switch", "merge", "cond")
    nodes.float_op("Exit", "exit", "switch")
    nodes.float_op("Neg", "body", "switch:1", device=device)
    nodes.float_op("NextIteration", "next", "body")
    nodes.float_op("Neg", "after", "exit", device=CPU % 1)
    return _placed(nodes.graph_def)


def test_a_loop_on_one_device_may_have_its_ends_on_others() -> None:
    graph = _loop(CPU % 0)
    parts = split_by_device(graph, devices(*CPUS))
    assert _joined(parts).listing() == _listing(graph)
    assert sum(_joined(parts).pairs().values()) == 2


def test_a_loop_over_devices_needs_control_loops() -> None:
    with pytest.raises(InternalError) as caught:
        split_by_device(_loop(CPU % 2), devices(*CPUS))
    message = caught.value.message
    for part in ("'outer/while'", "'switch'", "'body'", CPU_0, CPU_2, "add_control_loops"):
        assert part in message
    graph = add_control_loops(_loop(CPU % 2))
    assert set(split_by_device(graph, devices(*CPUS))) == set(CPUS)


@st.composite
def _random_placed_graphs(draw: st.DrawFn) -> NodeGraph:
    nodes = Nodes()
    cluster = [
        f"/job:{job}/replica:0/task:{task}/device:CPU:{index}"
        for job in ("w", "ps")
        for task in (0, 1)
        for index in (0, 1)
    ]
    count = draw(st.integers(1, 20))
    for index in range(count):
        earlier = [f"n{i}" for i in range(index)]
        data, controls = [], []
        if earlier:
            size = draw(st.sampled_from([0, 2]))
            data = draw(st.lists(st.sampled_from(earlier), min_size=size, max_size=size))
            controls = draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True))
        waits = [f"^{name}" for name in controls]
        if data:
            nodes.float_op("Add", f"n{index}", *data, *waits)
        else:
            nodes.const(f"n{index}", 1.0, waits)
    graph = nodes.graph()
    graph.assign({f"n{i}": draw(st.sampled_from(cluster)) for i in range(count)})
    return graph


@given(_random_placed_graphs())
def test_the_parts_make_the_whole(graph: NodeGraph) -> None:
    before = _listing(graph)
    parts = split_by_device(graph, [])
    for device, part in parts.items():
        assert_sound(part)
        assert not list(closed_under_inputs(part))
        assert {node.assigned_device for node in part.nodes()} == {device}
    assert _joined(parts).listing() == before == _listing(graph)
    # One transfer for a tensor (or the end of a node) and destination.
    assert all(count == 1 for count in _joined(parts).pairs().values())


@given(_random_placed_graphs())
def test_the_parts_of_parts_make_the_whole(graph: NodeGraph) -> None:
    leaves: dict[str, NodeGraph] = {}
    for task, part in split_by_worker(graph, []).items():
        again = import_partition(to_graph_def(part))
        for device, leaf in split_by_device(again, [], SplitLevel.IN_WORKER).items():
            assert device.startswith(task) and device not in leaves
            leaves[device] = leaf
    assert _joined(leaves).listing() == _listing(graph)
