"""The primitives that Python programs do not make by themselves: GraphDefs, run on both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.values import dtypes
from tests.control_flow.conftest import ControlFlowPath
from tests.passes.building import Nodes
from tests.session.both import described, oracle, oracle_errors

INT = {"T": dtypes.int32}


def _run(library: Any, session: Any, nodes: Nodes, fetches: list[str], feeds: Any) -> Any:
    text = nodes.graph_def.SerializeToString()
    graph_def = type(session.graph.as_graph_def()).FromString(text)
    library.import_graph_def(graph_def, name="")
    outcomes = []
    for fed in feeds:
        try:
            outcomes.append([described(np.asarray(v)) for v in session.run(fetches, fed)])
        except (errors.OpError, oracle_errors.OpError) as error:
            lines = error.message.split("\n")
            outcomes.append([type(error).__name__, *(x for x in lines if "must be" in x)])
    return outcomes


def _assert_same(path: ControlFlowPath, nodes: Nodes, fetches: list[str], feeds: Any) -> Any:
    config = oracle.ConfigProto()
    with oracle.Graph().as_default() as graph, oracle.Session("", graph, config) as session:
        theirs = _run(oracle, session, nodes, fetches, feeds)
    with tf.Graph().as_default() as ours_graph, path.session(ours_graph) as session:
        ours = _run(tf, session, nodes, fetches, feeds)
    assert ours == theirs, f"\nhere:       {ours}\nTensorFlow: {theirs}"
    return ours


def _initialized(nodes: Nodes, name: str, value: float) -> str:
    """Adds a variable with its assignment; returns the node that passes the reference on."""
    nodes.add("VariableV2", name, dtype=dtypes.float32, shape=tf.TensorShape([]))
    nodes.const(f"{name}_value", value)
    return nodes.float_op("Assign", f"{name}_set", name, f"{name}_value")


@pytest.mark.parametrize("index", [0, 1, 2, 3, -1, [1]])
def test_switch_n(control_flow_path: ControlFlowPath, index: Any) -> None:
    nodes = Nodes()
    nodes.add("Placeholder", "index", dtype=dtypes.int32)
    nodes.const("data", np.int32(5))
    nodes.add("_SwitchN", "switch", ["data", "index"], num_outs=3, **INT)
    for output in range(3):
        nodes.add("Square", f"case{output}", [f"switch:{output}"], **INT)
    nodes.add("Merge", "merge", ["case0", "case1", "case2"], N=3, **INT)
    _assert_same(control_flow_path, nodes, ["merge:0", "merge:1"], [{"index:0": index}])


def test_references_in_a_loop(control_flow_path: ControlFlowPath) -> None:
    """RefEnter, RefMerge, RefSwitch, RefIdentity, RefNextIteration and RefExit of one variable."""
    nodes = Nodes()
    nodes.placeholder("limit")
    cell = _initialized(nodes, "cell", 1.0)
    frame: Any = {"frame_name": b"loop"}
    nodes.float_op("RefEnter", "enter", cell, **frame)
    nodes.float_op("Enter", "stop", "limit", is_constant=True, **frame)
    nodes.float_op("RefMerge", "merge", "enter", "again", N=2)
    nodes.float_op("Less", "less", "merge", "stop")
    nodes.add("LoopCond", "cond", ["less"])
    nodes.float_op("RefSwitch", "switch", "merge", "cond")
    nodes.float_op("RefIdentity", "inside", "switch:1")
    nodes.const("two", 2.0, ["^inside"])
    nodes.float_op("AssignAdd", "add", "inside", "two")
    nodes.float_op("RefNextIteration", "again", "add")
    nodes.float_op("RefExit", "exit", "switch")
    nodes.float_op("Neg", "result", "exit")
    feeds = [{"limit:0": limit} for limit in (0.0, 2.0, 9.0)]
    ours = _assert_same(control_flow_path, nodes, ["result:0"], feeds)
    assert [run[0][-1] for run in ours] == ["-1.0", "-3.0", "-9.0"]


@pytest.mark.parametrize("index", [0, 1, 2, -1, [0]])
def test_ref_select(control_flow_path: ControlFlowPath, index: Any) -> None:
    nodes = Nodes()
    nodes.add("Placeholder", "index", dtype=dtypes.int32)
    cells = [_initialized(nodes, name, value) for name, value in (("a", 1.0), ("b", 2.0))]
    nodes.float_op("RefSelect", "select", "index", *cells, N=2)
    nodes.float_op("Neg", "result", "select")
    _assert_same(control_flow_path, nodes, ["result:0"], [{"index:0": index}])


def test_control_trigger_behind_an_exit(control_flow_path: ControlFlowPath) -> None:
    """ControlTrigger, Switch, Merge, Enter, NextIteration, LoopCond and Exit in one graph."""
    nodes = Nodes()
    nodes.add("Placeholder", "pred", dtype=dtypes.bool)
    nodes.const("start", np.int32(0))
    nodes.const("three", np.int32(3))
    nodes.add("Switch", "branch", ["start", "pred"], **INT)
    nodes.add("Enter", "enter", ["branch:1"], frame_name=b"loop", **INT)
    nodes.add("Enter", "stop", ["three"], frame_name=b"loop", is_constant=True, **INT)
    nodes.add("Merge", "merge", ["enter", "again"], N=2, **INT)
    nodes.add("Less", "less", ["merge", "stop"], **INT)
    nodes.add("LoopCond", "cond", ["less"])
    nodes.add("Switch", "switch", ["merge", "cond"], **INT)
    nodes.const("one", np.int32(1), ["^switch"])
    nodes.add("AddV2", "next", ["switch:1", "one"], **INT)
    nodes.add("NextIteration", "again", ["next"], **INT)
    nodes.add("Exit", "exit", ["switch"], **INT)
    nodes.add("ControlTrigger", "trigger", ["^exit"])
    nodes.add("Identity", "after", ["three", "^trigger"], **INT)
    feeds = [{"pred:0": True}, {"pred:0": False}]
    _assert_same(control_flow_path, nodes, ["after:0"], feeds)


@pytest.mark.parametrize("exit_without_error", [True, False])
def test_abort_ends_the_step_not_the_process(
    control_flow_path: ControlFlowPath, exit_without_error: bool
) -> None:
    """TensorFlow's Abort ends the process, with the words of the error here."""
    nodes = Nodes()
    nodes.add("Abort", "abort", error_msg=b"enough", exit_without_error=exit_without_error)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(nodes.graph_def, name="")
        with control_flow_path.session(graph) as session:
            with pytest.raises(errors.AbortedError, match="Abort_op intentional failure; enough"):
                session.run("abort")
            assert session.run(tf.constant(1)) == 1
