"""Spoilt functions: each fault is refused with a text that names the function and the place."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import text_format
from hypothesis import HealthCheck, event, given
from hypothesis import strategies as st

import dataflow as tf
from tests.control_flow.programs.function_programs import PROGRAMS, as_ours, graph_def_of
from tests.importing.mutations import mutate
from tests.rounds import rounds

_GRAPH = """
library {
  function {
    signature {
      name: "f"
      input_arg { name: "x" type_attr: "T" }
      input_arg { name: "xs" type_attr: "T" number_attr: "N" }
      output_arg { name: "y" type_attr: "T" }
      output_arg { name: "zs" type_attr: "T" number_attr: "N" }
      attr { name: "T" type: "type" }
      attr { name: "N" type: "int" }
    }
    node_def {
      name: "sum" op: "AddN" input: "xs:0" input: "xs:1" input: "x"
      attr { key: "T" value { placeholder: "T" } } attr { key: "N" value { i: 3 } }
    }
    node_def {
      name: "pass" op: "IdentityN" input: "xs"
      attr { key: "T" value { list { type: DT_FLOAT type: DT_FLOAT } } }
    }
    ret { key: "y" value: "sum:sum:0" }
    ret { key: "zs" value: "pass:output" }
  }
}
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node {
  name: "call" op: "PartitionedCall" input: "x" input: "x" input: "x"
  attr {
    key: "Tin" value { list { type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT } }
  }
  attr {
    key: "Tout" value { list { type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT } }
  }
  attr {
    key: "f"
    value {
      func {
        name: "f"
        attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } }
      }
    }
  }
}
versions { producer: 134 min_consumer: 12 }
"""


def _graph() -> tf.GraphDef:
    return text_format.Parse(_GRAPH, tf.GraphDef())


def _node(graph_def: Any, name: str) -> Any:
    return next(n for n in graph_def.library.function[0].node_def if n.name == name)


def _run(graph_def: Any) -> Any:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.Session(graph=graph) as session:
            outputs = graph.get_operation_by_name("call").outputs
            return session.run(outputs, {"x:0": 2.0})


def test_the_graph_itself_runs() -> None:
    assert _run(_graph()) == [6.0, 2.0, 2.0]


def _set(node: str, **fields: Any) -> Callable[[Any], None]:
    def change(graph_def: Any) -> None:
        found = _node(graph_def, node)
        for name, value in fields.items():
            if name == "input":
                found.input[:] = value
            else:
                setattr(found, name, value)

    return change


def _ret(**values: str) -> Callable[[Any], None]:
    return lambda graph_def: graph_def.library.function[0].ret.update(values)


def _no_ret(graph_def: Any) -> None:
    del graph_def.library.function[0].ret["y"]


def _control_ret(graph_def: Any) -> None:
    graph_def.library.function[0].control_ret["c"] = "nope"


def _twin(graph_def: Any) -> None:
    graph_def.library.function[0].node_def.add().CopyFrom(_node(graph_def, "sum"))


def _placeholder(graph_def: Any) -> None:
    _node(graph_def, "sum").attr["T"].placeholder = "U"


def _no_attr(graph_def: Any) -> None:
    del _node(graph_def, "sum").attr["N"]


def _other_type(graph_def: Any) -> None:
    _node(graph_def, "sum").attr["T"].type = tf.float64.as_datatype_enum
    graph_def.library.function[0].ret["y"] = "x"


def _call_lacks_attr(graph_def: Any) -> None:
    del graph_def.node[1].attr["f"].func.attr["T"]


def _another_number(graph_def: Any) -> None:
    graph_def.node[1].attr["f"].func.attr["N"].i = 3


def _fewer_outputs(graph_def: Any) -> None:
    del graph_def.node[1].attr["Tout"].list.type[-1]


def _negative_number(graph_def: Any) -> None:
    graph_def.node[1].attr["f"].func.attr["N"].i = -1


def _huge_number(graph_def: Any) -> None:
    graph_def.node[1].attr["f"].func.attr["N"].i = 2**40


def _no_function(graph_def: Any) -> None:
    graph_def.node[1].attr["f"].func.name = "gone"


def _untyped_argument(graph_def: Any) -> None:
    graph_def.library.function[0].signature.input_arg[0].type_attr = ""


def _unknown_kind(graph_def: Any) -> None:
    graph_def.library.function[0].signature.attr[0].type = "kind"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_set("sum", op="Nope"), "Op type not registered 'Nope' in node 'sum'"),
        (_set("sum", op="_Recv"), "Node 'sum': op type '_Recv' is for the nodes that a session"),
        (_set("sum", input=["nope:z:0"]), "input nope:z:0 is not found: {{node sum}}"),
        (_set("sum", input=["nope"]), "input nope is not found: {{node sum}}"),
        (_set("sum", input=["pass:nope:0"]), "input pass:nope:0 is not found: {{node sum}}"),
        (_set("sum", input=["xs:7"]), "input xs:7 is not found: {{node sum}}"),
        (_set("sum", input=["pass:1"]), "input pass:1 is not found: {{node sum}}"),
        (_set("sum", input=["x", "xs", "x"]), "do not match 4 inputs specified"),
        (_set("sum", input=["x"]), "do not match 1 inputs specified"),
        (_set("sum", input=["^nope"]), "input[0] == '^nope', is not found."),
        (_set("sum", input=["^pass", "x"]), "Control dependencies must come after regular"),
        (_set("sum", input=["sum:sum:0", "x", "x"]), "a cycle with 2 nodes, including: sum"),
        (_set("sum", name="a b"), "Return y -> sum:sum:0 is not found."),
        (_set("sum", name="x"), "Node 'x' is not unique"),
        (_set("sum", device="/nope"), "Malformed device specification '/nope'"),
        (_no_ret, "Return y missing."),
        (_ret(y="nope:z:0"), "Return y -> nope:z:0 is not found."),
        (_ret(y="pass:output"), "Invalid ret types y : float vs. float, float"),
        (_control_ret, "Control return c -> nope is not found."),
        (_twin, "Duplicated ret name: sum:sum:0"),
        (_placeholder, "Failed to bind all placeholders in $U"),
        (_no_attr, "NodeDef missing attr 'N' from Op<name=AddN"),
        (
            _other_type,
            "Input 0 of node sum was passed float from xs_0:0 incompatible with",
        ),
        (_call_lacks_attr, "Attr T is not found from Op<name=f"),
        (_another_number, "do not match 3 inputs specified; Op<name=IdentityN"),
        (_fewer_outputs, "Function f returns (float, float, float) where node 'call'"),
        (_negative_number, "Value for attr 'N' of -1 must be from 0 to"),
        (_huge_number, "Value for attr 'N' of 1099511627776 must be from 0 to"),
        (_no_function, "Function gone is not defined"),
        (_untyped_argument, "Argument 'x' of op 'f' has no element type."),
        (_unknown_kind, "Attr 'T' of op 'f' has the unknown kind 'kind'"),
    ],
)
def test_fault(change: Callable[[Any], None], text: str) -> None:
    graph_def = _graph()
    change(graph_def)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as caught:
        _run(graph_def)
    message = str(caught.value)
    assert text in message
    if change not in (_no_function, _fewer_outputs):
        assert "In function f" in message
    assert "node call" in message or "'call'" in message


def test_a_refused_graph_leaves_the_session_as_it_was() -> None:
    spoilt = _graph()
    _no_ret(spoilt)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant(3.0, name="before")
        assert session.run(x) == 3.0
        direct = next(iter(session._link.runtime._sessions.values()))
        kept = next(iter(direct.master._sessions.values())).graph
        size = len(kept)
        try:
            tf.import_graph_def(spoilt, name="")
            session.run(x)
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            assert "Return y missing." in str(error)
        assert len(kept) == size


@functools.cache
def _content(name: str) -> bytes:
    return as_ours(graph_def_of(PROGRAMS[name])).SerializeToString()


NAMES = ["call", "conditional", "loop", "switch", "variables", "fibonacci", "polymorphic"]


def _spoil(data: st.DataObject, graph_def: Any) -> None:
    """Changes the nodes of a function, or what its signature and its results say."""
    functions = graph_def.library.function
    function = functions[data.draw(st.integers(0, len(functions) - 1), label="function")]
    how = data.draw(
        st.sampled_from(["nodes", "nodes", "nodes", "ret", "control_ret", "signature", "gone"]),
        label="what",
    )
    targets = [
        *function.ret.values(),
        *(argument.name for argument in function.signature.input_arg),
        *(node.name for node in function.node_def),
        "nope",
    ]
    if how == "nodes":
        body = tf.GraphDef(node=function.node_def)
        mutate(data, body)
        del function.node_def[:]
        function.node_def.extend(body.node)
    elif how == "ret" and function.ret:
        function.ret[data.draw(st.sampled_from(sorted(function.ret)))] = data.draw(
            st.sampled_from(targets)
        )
    elif how == "control_ret":
        function.control_ret["more"] = data.draw(st.sampled_from(targets))
    elif how == "gone":
        del functions[data.draw(st.integers(0, len(functions) - 1))]
    else:
        arguments = [*function.signature.input_arg, *function.signature.output_arg]
        if arguments:
            argument = data.draw(st.sampled_from(arguments))
            argument.type = data.draw(st.sampled_from([0, 1, 3, 9, 10, 20, 21, 99]))
            argument.number_attr = data.draw(st.sampled_from(["", "N", "T"]))


def _names_a_place(error: tf.errors.OpError, graph_def: Any) -> bool:
    """True if the text has the name of a node, or says which function it is about."""
    functions = graph_def.library.function
    nodes = [*graph_def.node, *(node for function in functions for node in function.node_def)]
    tags = [rf"\bnode:? [^ ]*{re.escape(node.name)}\b" for node in nodes if node.name]
    tags += [rf"[Ff]unction {re.escape(function.signature.name)}\b" for function in functions]
    return isinstance(error, tf.errors.DeadlineExceededError) or any(
        re.search(tag, error.message) for tag in [*tags, "Retval"]
    )


@rounds(600, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_spoilt_functions_run_or_are_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES), label="program")
    program = PROGRAMS[name]
    graph_def = tf.GraphDef.FromString(_content(name))
    for _ in range(data.draw(st.integers(1, 3), label="times")):
        if graph_def.library.function:
            _spoil(data, graph_def)
    # An OpError, or at import the ValueError that is one too: anything else is a fault of ours.
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except tf.errors.OpError:
            event("refused when imported")
            return
        with tf.Session(graph=graph) as session:
            for fetch in program.fetches:
                try:
                    # What was spoilt may be the condition that ends a loop.
                    options = tf.RunOptions(timeout_in_ms=2000)
                    if program.init:
                        session.run(program.init)
                    session.run(fetch, dict(program.runs[-1]), options)
                    event("runs")
                except tf.errors.OpError as error:
                    event(f"refused with {type(error).__name__}")
                    assert error.error_code != tf.errors.INTERNAL, error.message
                    assert _names_a_place(error, graph_def), error.message


def test_a_function_with_an_unknown_op_is_refused_when_it_is_called() -> None:
    """Models are saved with functions that save and restore them, which need not be run."""
    graph_def = _graph()
    _node(graph_def, "sum").op = "Nope"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        x = graph.get_tensor_by_name("x:0")
        with tf.Session(graph=graph) as session:
            assert session.run(x + 1.0, {x: 2.0}) == 3.0
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run("call:0", {x: 2.0})
            for text in ("Op type not registered 'Nope' in node 'sum'", "In function f", "call"):
                assert text in str(caught.value)
