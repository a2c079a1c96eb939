"""Side effects of functions: what runs besides the nodes that give the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from google.protobuf import text_format
from tensorflow.python.framework import function

import dataflow as tf
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.functional import functional_control_flow
from tests.control_flow.programs.function_programs import as_ours, oracle
from tests.oracle import open_session

_LIBRARY = """
function {
  signature {
    name: "bump"
    input_arg { name: "v" type: DT_RESOURCE }
    input_arg { name: "x" type: DT_FLOAT }
    output_arg { name: "y" type: DT_FLOAT }
    is_stateful: true
  }
  node_def {
    name: "one" op: "Const"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } }
  }
  node_def {
    name: "add" op: "AssignAddVariableOp" input: "v" input: "one:output:0"
    attr { key: "dtype" value { type: DT_FLOAT } }
  }
  node_def {
    name: "sum" op: "AddV2" input: "x" input: "one:output:0"
    attr { key: "T" value { type: DT_FLOAT } }
  }
  ret { key: "y" value: "sum:z:0" }
}
"""
_BRANCHES = ("Tcond", "Tin", "Tout", "then_branch", "else_branch")


def effects(kind: str, names_effect: bool) -> Any:
    """A graph with a call of a function that adds to a variable, besides what it returns."""
    graph_def = oracle.GraphDef()
    text_format.Parse(_LIBRARY, graph_def.library)
    if names_effect:
        (bump,) = graph_def.library.function
        bump.signature.control_output.append("added")
        bump.control_ret["added"] = "add"
    with oracle.Graph().as_default() as graph:
        v = oracle.get_variable("v", initializer=0.0, use_resource=True)
        oracle.identity(v.read_value(), name="value")
        p = oracle.placeholder(oracle.bool, [], name="p")
        oracle.identity(oracle.placeholder(oracle.float32, [], name="x"), name="call")
        oracle.negative(graph.get_tensor_by_name("call:0"), name="after")
        with oracle.control_dependencies(["call"]):
            oracle.no_op(name="later")
        oracle.variables_initializer([v], name="start")
        whole = graph.as_graph_def()
        handle = v.handle.op.name
    call = next(node for node in whole.node if node.name == "call")
    call.ClearField("attr")
    call.op = kind.split()[0]
    call.input[:] = [handle, "x"]
    whole.library.CopyFrom(graph_def.library)
    if call.op == "bump":
        return whole
    call.attr["Tin"].list.type.extend([oracle.resource.as_datatype_enum, 1])
    call.attr["Tout"].list.type.append(1)
    if call.op.endswith("If"):
        call.input.insert(0, p.op.name)
        call.attr["Tcond"].type = oracle.bool.as_datatype_enum
        call.attr["then_branch"].func.name = call.attr["else_branch"].func.name = "bump"
        if "lowered" in kind:
            call.attr["_lower_using_switch_merge"].b = True
    else:
        call.attr["f"].func.name = "bump"
    return whole


def _outcomes(library: Any, graph_def: Any, output: str, feeds: Mapping[str, Any]) -> list[Any]:
    """What each way to use the call gives, and what the variable is afterwards."""
    outcomes = []
    with library.Graph().as_default() as graph:
        library.import_graph_def(graph_def, name="")
        for fetch in (output, "after:0", "call", "later"):
            with open_session(library, graph) as session:
                session.run("start")
                value = session.run(fetch, feeds)
                outcomes.append((fetch, value, float(session.run("value:0"))))
    return outcomes


@pytest.mark.parametrize("names_effect", [False, True])
@pytest.mark.parametrize(
    "kind",
    [
        *("StatefulPartitionedCall", "PartitionedCall", "bump"),
        *("If", "If lowered", "StatelessIf lowered"),
    ],
)
def test_what_runs_besides_what_is_returned(kind: str, names_effect: bool) -> None:
    graph_def = effects(kind, names_effect)
    feeds = {"x:0": 3.0, "p:0": True}
    theirs = _outcomes(oracle, graph_def, "call:0", feeds)
    assert _outcomes(tf, as_ours(graph_def), "call:0", feeds) == theirs


def test_a_call_without_results_runs_all_that_changes_something() -> None:
    graph_def = effects("StatefulPartitionedCall", False)
    (bump,) = graph_def.library.function
    del (
        bump.signature.output_arg[:],
        graph_def.node[[n.name for n in graph_def.node].index("after")],
    )
    bump.ret.clear()
    call = next(node for node in graph_def.node if node.name == "call")
    call.attr["Tout"].list.ClearField("type")

    def outcome(library: Any, graph_def: Any) -> float:
        with library.Graph().as_default() as graph:
            library.import_graph_def(graph_def, name="")
            with open_session(library, graph) as session:
                session.run("start")
                session.run("later", {"x:0": 3.0})
                return float(session.run("value:0"))

    assert outcome(tf, as_ours(graph_def)) == outcome(oracle, graph_def) == 1.0


_LOOP = """
function {
  signature {
    name: "body"
    input_arg { name: "v" type: DT_RESOURCE }
    input_arg { name: "x" type: DT_FLOAT }
    output_arg { name: "w" type: DT_RESOURCE }
    output_arg { name: "y" type: DT_FLOAT }
    is_stateful: true
  }
  node_def {
    name: "one" op: "Const"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } }
  }
  node_def {
    name: "add" op: "AssignAddVariableOp" input: "v" input: "one:output:0"
    attr { key: "dtype" value { type: DT_FLOAT } }
  }
  node_def {
    name: "sum" op: "AddV2" input: "x" input: "one:output:0"
    attr { key: "T" value { type: DT_FLOAT } }
  }
  ret { key: "y" value: "sum:z:0" }
  ret { key: "w" value: "v" }
}
function {
  signature {
    name: "cond"
    input_arg { name: "v" type: DT_RESOURCE }
    input_arg { name: "x" type: DT_FLOAT }
    output_arg { name: "y" type: DT_BOOL }
    is_stateful: true
  }
  node_def {
    name: "five" op: "Const"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 5 } } }
  }
  node_def {
    name: "add" op: "AssignAddVariableOp" input: "v" input: "five:output:0"
    attr { key: "dtype" value { type: DT_FLOAT } }
  }
  node_def {
    name: "less" op: "Less" input: "x" input: "five:output:0"
    attr { key: "T" value { type: DT_FLOAT } }
  }
  ret { key: "y" value: "less:z:0" }
}
"""


@pytest.mark.parametrize("names_effect", [False, True])
@pytest.mark.parametrize("kind", ["While", "While lowered", "StatelessWhile lowered"])
def test_what_runs_in_each_iteration(kind: str, names_effect: bool) -> None:
    with oracle.Graph().as_default() as graph:
        v = oracle.get_variable("v", initializer=0.0, use_resource=True)
        oracle.identity(v.read_value(), name="value")
        x = oracle.placeholder(oracle.float32, [], name="x")
        oracle.identity_n([x, x], name="call")
        oracle.negative(graph.get_tensor_by_name("call:1"), name="after")
        with oracle.control_dependencies([graph.get_operation_by_name("call")]):
            oracle.no_op(name="later")
        oracle.variables_initializer([v], name="start")
        whole = graph.as_graph_def()
        handle = v.handle.op.name
    text_format.Parse(_LOOP, whole.library)
    if names_effect:
        for part in whole.library.function:
            part.signature.control_output.append("added")
            part.control_ret["added"] = "add"
    call = next(node for node in whole.node if node.name == "call")
    call.ClearField("attr")
    call.op = kind.split()[0]
    call.input[:] = [handle, "x"]
    call.attr["T"].list.type.extend([oracle.resource.as_datatype_enum, 1])
    call.attr["cond"].func.name, call.attr["body"].func.name = "cond", "body"
    call.attr["_lower_using_switch_merge"].b = "lowered" in kind
    theirs = _outcomes(oracle, whole, "call:1", {"x:0": 3.0})
    assert _outcomes(tf, as_ours(whole), "call:1", {"x:0": 3.0}) == theirs


@pytest.mark.parametrize("kind", ["StatefulPartitionedCall", "bump", "If", "If lowered"])
def test_a_fed_output_takes_the_place_of_the_call(kind: str) -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(effects(kind, True)), name="")
        with tf.Session(graph=graph) as session:
            session.run("start")
            assert session.run("after:0", {"call:0": 7.0}) == -7.0
            assert session.run("value:0") == 0.0


def test_what_runs_in_the_branches_of_a_body() -> None:
    """An assignment in a branch of v1's cond that no result of the function needs."""
    with oracle.Graph().as_default() as graph:
        v = oracle.get_variable("v", initializer=0.0, use_resource=True)
        oracle.identity(v.read_value(), name="value")
        p = oracle.placeholder(oracle.bool, [], name="p")

        @function.Defun(oracle.bool, oracle.resource, func_name="choose", out_names=["y"])
        def choose(p: Any, handle: Any) -> Any:
            def add(amount: float) -> Any:
                change = oracle.raw_ops.AssignAddVariableOp(resource=handle, value=amount)
                with oracle.control_dependencies([change]):
                    return oracle.constant(amount)

            oracle.cond(p, lambda: add(1.0), lambda: add(10.0))
            return oracle.constant(5.0)

        oracle.identity(choose(p, v.handle), name="y")
        oracle.variables_initializer([v], name="start")
        whole = graph.as_graph_def()
    outcomes = []
    for library, nodes in ((oracle, whole), (tf, as_ours(whole))):
        with library.Graph().as_default() as read:
            library.import_graph_def(nodes, name="")
            with library.Session(graph=read) as session:
                session.run("start")
                runs = [session.run("y:0", {"p:0": value}) for value in (True, False)]
                outcomes.append([*runs, float(session.run("value:0"))])
    assert outcomes[1] == outcomes[0] == [5.0, 5.0, 11.0]


@pytest.mark.parametrize("path", PATHS)
def test_what_a_loop_hands_on_waits_for_the_effects_of_its_body(path: str) -> None:
    """A value that goes round unchanged is there when what it waits for has happened."""
    with functional_control_flow(tf), tf.Graph().as_default() as graph:
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

        def body(i: Any, token: Any) -> Any:
            with tf.control_dependencies([v.assign_add(2.0).op]):
                return i + 1, tf.identity(token)

        _, token = tf.while_loop(lambda i, _: i < 3, body, (0, 7))
        with tf.control_dependencies([token]):
            value = v.read_value()
        with ControlFlowPath(path).session(graph) as session:
            session.run(v.initializer)
            assert session.run([token, value]) == [7, 7.0]


@pytest.mark.parametrize("path", PATHS)
def test_a_loop_with_a_handle_is_waited_for_in_a_loop(path: str) -> None:
    """What stands for the handles of the inner loop is in the frame of the outer one."""
    with functional_control_flow(tf), tf.Graph().as_default() as graph:
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

        def inner(j: Any, a: Any) -> Any:
            return j + 1, a + v.read_value()

        def outer(i: Any, a: Any) -> Any:
            _, a = tf.while_loop(lambda j, _: j < 2, inner, (0, a))
            with tf.control_dependencies([a.op.inputs[0].op]):
                return i + 1, tf.identity(a)

        _, a = tf.while_loop(lambda i, _: i < 3, outer, (0, 0.0))
        with ControlFlowPath(path).session(graph) as session:
            session.run(v.initializer)
            assert session.run(a) == 6.0
