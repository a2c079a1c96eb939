"""Which tensors may be dead when they are received, and which never are."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.passes.control_flow.control_loop import add_control_loops
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import SplitLevel, split_by_device, split_by_worker
from dataflow.values import dtypes
from tests.passes.building import CPU_0, CPU_1, Nodes, devices, everywhere, no_kernels

AWAY = "/device:CPU:1"


def _received(nodes: Nodes) -> dict[str, bool]:
    """For each node with a consumer on another device: whether its Recv may get a dead value."""
    graph = nodes.graph()
    cluster = devices(CPU_0, CPU_1)
    graph.assign(place(graph, cluster, everywhere, no_kernels))
    parts = split_by_device(add_control_loops(graph), cluster)
    return {
        node.name.rpartition("/_")[0]: node.attrs.get("_may_be_dead", False)
        for part in parts.values()
        for node in part.nodes()
        if node.op == "_Recv"
    }


def _conditional(nodes: Nodes) -> None:
    """TensorFlow's form: some branch values depend on the condition's pivots only."""
    nodes.const("x", 1.0)
    nodes.const("p", np.bool_(True))
    nodes.add("Switch", "s", ["p", "p"], T=dtypes.bool)
    nodes.add("Identity", "pivot_t", ["s:1"], T=dtypes.bool)
    nodes.add("Identity", "pivot_f", ["s"], T=dtypes.bool)
    nodes.add("Identity", "pred_id", ["p"], T=dtypes.bool)
    nodes.float_op("Switch", "xs", "x", "pred_id")
    nodes.float_op("Neg", "yes", "xs:1")
    nodes.const("five", 5.0, ["^pivot_t"])
    nodes.float_op("Add", "sum", "yes", "five")
    nodes.const("no", 7.0, ["^pivot_f"])


def _away(nodes: Nodes, *names: str) -> None:
    for name in names:
        nodes.float_op("Neg", f"away_{name.replace(':', '_')}", name, device=AWAY)


def test_in_a_conditional_and_behind_its_merge() -> None:
    nodes = Nodes()
    _conditional(nodes)
    nodes.float_op("Merge", "m", "no", "sum", N=2)
    nodes.float_op("Neg", "after", "m")
    _away(nodes, "x", "xs:1", "sum", "five", "no", "m", "after")
    found = _received(nodes)
    dead = {"xs", "sum", "five", "no"}
    assert found == {name: name in dead for name in ("x", "m", "after", *dead)}


def test_a_control_edge_carries_deadness() -> None:
    nodes = Nodes()
    _conditional(nodes)
    nodes.add("NoOp", "waits", ["^pivot_t"])
    nodes.add("NoOp", "there", ["^waits"], AWAY)
    nodes.add("ControlTrigger", "always", ["^pivot_t"])
    nodes.add("NoOp", "also_there", ["^always"], AWAY)
    # The Switch itself runs in any case.
    nodes.add("NoOp", "third", ["^s"], AWAY)
    assert _received(nodes) == {"waits": True, "always": False, "s": False}


def test_nested_conditionals_close_one_after_the_other() -> None:
    nodes = Nodes()
    _conditional(nodes)
    nodes.add("Switch", "qs", ["p", "pred_id"], T=dtypes.bool)
    nodes.float_op("Switch", "inner", "xs:1", "qs:1")
    nodes.float_op("Neg", "a", "inner")
    nodes.float_op("Neg", "b", "inner:1")
    nodes.float_op("Merge", "inner_merge", "a", "b", N=2)
    nodes.float_op("Merge", "m", "no", "inner_merge", N=2)
    _away(nodes, "a", "inner_merge", "m")
    assert _received(nodes) == {"a": True, "inner_merge": True, "m": False}


def test_a_merge_that_does_not_cover_its_choice() -> None:
    nodes = Nodes()
    _conditional(nodes)
    nodes.const("q", np.bool_(True))
    nodes.float_op("Switch", "other", "x", "q")
    nodes.float_op("Merge", "twice", "sum", "xs:1", N=2)
    nodes.float_op("Merge", "crossed", "xs:1", "other", N=2)
    nodes.float_op("Merge", "sure", "xs:1", "x", N=2)
    _away(nodes, "twice", "crossed", "sure")
    assert _received(nodes) == {"twice": True, "crossed": True, "sure": False}


def test_a_switch_of_many() -> None:
    nodes = Nodes()
    nodes.const("x", 1.0)
    nodes.const("i", np.int32(1))
    nodes.float_op("_SwitchN", "s", "x", "i", num_outs=3)
    nodes.float_op("Merge", "all", "s:2", "s", "s:1", N=3)
    nodes.float_op("Merge", "some", "s:2", "s", N=2)
    _away(nodes, "s:1", "all", "some")
    assert _received(nodes) == {"s": True, "all": False, "some": True}


@pytest.mark.parametrize("entered", ["x", "xs:1"])
def test_a_loop(entered: str) -> None:
    nodes = Nodes()
    _conditional(nodes)
    nodes.float_op("Enter", "enter", entered, frame_name=b"loop")
    nodes.float_op("Merge", "merge", "enter", "next", N=2)
    nodes.float_op("Less", "less", "merge", "merge")
    nodes.add("LoopCond", "cond", ["less"])
    nodes.float_op("Switch", "switch", "merge", "cond")
    nodes.float_op("Identity", "body", "switch:1")
    nodes.float_op("NextIteration", "next", "body")
    nodes.float_op("Exit", "exit", "switch")
    nodes.float_op("Neg", "in_loop", "body", device=AWAY)
    _away(nodes, "exit")
    # In a loop the last iteration's values are dead; an exit is alive if the loop is entered.
    assert _received(nodes) == {"body": True, "cond": True, "exit": entered == "xs:1"}


def test_it_is_known_in_the_second_split() -> None:
    nodes = Nodes()
    _conditional(nodes)
    for name in ("x", "sum"):
        nodes.float_op("Neg", f"near_{name}", name, device="/task:1/device:CPU:0")
        nodes.float_op("Neg", f"next_{name}", f"near_{name}", device="/task:1/device:CPU:1")
    cluster = devices(
        *(f"/job:worker/replica:0/task:{t}/device:CPU:{i}" for t in (0, 1) for i in (0, 1))
    )
    graph = nodes.graph()
    graph.assign(place(graph, cluster, everywhere, no_kernels))
    part = split_by_worker(graph, cluster)["/job:worker/replica:0/task:1"]
    sent = import_graph(to_graph_def(part), partition=True)
    leaves = split_by_device(sent, cluster, SplitLevel.IN_WORKER)
    found = {
        node.name[: node.name.rindex("_")]: node.attrs.get("_may_be_dead", False)
        for leaf in leaves.values()
        for node in leaf.nodes()
        if node.op == "_Recv"
    }
    assert found == {"x": False, "sum": True, "near_x": False, "near_sum": True}


def test_a_long_chain_of_choices_stays_cheap() -> None:
    nodes = Nodes()
    nodes.const("x0", 1.0)
    for index in range(2000):
        nodes.add("Placeholder", f"p{index}", dtype=dtypes.bool)
        nodes.float_op("Switch", f"s{index}", f"x{index}", f"p{index}")
        nodes.float_op("Identity", f"x{index + 1}", f"s{index}:1")
    _away(nodes, "x2000")
    assert _received(nodes) == {"x2000": True}
