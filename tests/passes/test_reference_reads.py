"""References read from another device: the Send waits for what the reader waits for."""

from __future__ import annotations

from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import split_by_device, split_by_worker
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import CPU_0, CPU_1, CPU_2, Nodes, devices, everywhere, no_kernels

CPU = "/device:CPU:%d"


def _variable(nodes: Nodes, name: str = "v") -> None:
    nodes.add("VariableV2", name, (), CPU % 1, dtype=dtypes.float32, shape=TensorShape([]))
    nodes.const(f"{name}_value", 1.0, device=CPU % 1)


def _split(nodes: Nodes) -> dict[str, NodeGraph]:
    cluster = devices(CPU_0, CPU_1, CPU_2)
    graph = nodes.graph()
    graph.assign(place(graph, cluster, everywhere, no_kernels))
    return split_by_device(graph, cluster)


def _sends(parts: dict[str, NodeGraph]) -> list[tuple[str, set[str]]]:
    """For each Send of a reference what it sends, and what else it waits for."""
    return [
        (data.src.name, {edge.src.name for edge in node.control_edges()})
        for part in parts.values()
        for node in part.nodes()
        if node.op == "_Send"
        for data in node.data_edges()
        if data.dtype._is_ref_dtype
    ]


def test_after_a_write() -> None:
    nodes = Nodes()
    _variable(nodes)
    nodes.float_op("Assign", "w", "v", "v_value", device=CPU % 1)
    nodes.float_op("Neg", "r", "v", "^w", device=CPU % 0)
    assert _sends(_split(nodes)) == [("v", {"w"})]


def test_after_a_write_over_other_devices() -> None:
    nodes = Nodes()
    _variable(nodes)
    nodes.float_op("Assign", "w", "v", "v_value", device=CPU % 1)
    nodes.add("NoOp", "there", ["^w"], CPU % 2)
    nodes.add("NoOp", "here", ["^there"], CPU % 0)
    nodes.float_op("Neg", "r", "v", "^here", device=CPU % 0)
    assert _sends(_split(nodes)) == [("v", {"w"})]


def test_without_a_write_before_nothing_is_waited_for() -> None:
    nodes = Nodes()
    _variable(nodes)
    nodes.float_op("Neg", "first", "v_value", device=CPU % 1)
    nodes.float_op("Add", "r", "v", "first", device=CPU % 0)
    nodes.float_op("Assign", "w", "v", "r", device=CPU % 1)
    assert _sends(_split(nodes)) == [("v", set())]


def test_each_reader_has_its_own_time() -> None:
    nodes = Nodes()
    _variable(nodes)
    nodes.float_op("Neg", "early", "v", device=CPU % 0)
    nodes.float_op("Assign", "w", "v", "v_value", device=CPU % 1)
    nodes.float_op("Add", "late", "v", "early", "^w", device=CPU % 0)
    nodes.float_op("AssignAdd", "w2", "w", "v_value", "^late", device=CPU % 1)
    nodes.float_op("Add", "last", "w", "late", "^w2", device=CPU % 0)
    assert sorted(_sends(_split(nodes)), key=str) == [("v", set()), ("v", {"w"}), ("w", {"w2"})]


def test_not_behind_a_merge_whose_branches_may_be_dead() -> None:
    nodes = Nodes()
    _variable(nodes)
    nodes.add("Placeholder", "p", (), CPU % 1, dtype=dtypes.bool)
    nodes.float_op("Switch", "s", "v_value", "p", device=CPU % 1)
    nodes.float_op("Assign", "w", "v", "s:1", device=CPU % 1)
    nodes.float_op("Neg", "a", "w", device=CPU % 2)
    nodes.float_op("Neg", "b", "s", device=CPU % 2)
    nodes.float_op("Merge", "m", "a", "b", N=2, device=CPU % 2)
    nodes.float_op("Add", "r", "v", "m", device=CPU % 0)
    # The write itself may be dead while the reader is alive.
    assert ("v", set()) in _sends(_split(nodes))


def test_between_two_devices_of_a_worker_that_waits_for_another_worker() -> None:
    nodes = Nodes()
    tasks = [f"/job:worker/replica:0/task:{task}" for task in (0, 1)]
    near, far = tasks
    cluster = devices(*(f"{task}/device:CPU:{index}" for task in tasks for index in (0, 1)))
    nodes.add("VariableV2", "v", (), f"{near}/cpu:1", dtype=dtypes.float32, shape=TensorShape([]))
    nodes.const("one", 1.0, device=f"{near}/cpu:1")
    nodes.float_op("Assign", "w", "v", "one", device=f"{near}/cpu:1")
    nodes.add("NoOp", "away", ["^w"], f"{far}/cpu:0")
    nodes.float_op("Neg", "r", "v", "^away", device=f"{near}/cpu:0")
    graph = nodes.graph()
    graph.assign(place(graph, cluster, everywhere, no_kernels))
    assert _sends(split_by_worker(graph, cluster)) == [("v", {"w"})]
