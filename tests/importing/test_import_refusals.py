"""GraphDefs that are malformed: what is said of them, and that they leave no trace."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.importing.errors import InvalidGraphDefError
from tests.importing.both import assert_same, assert_same_refusal, parsed
from tests.importing.nodes import (
    A,
    attr,
    constant,
    function,
    identity,
    library,
    node,
    shapes,
    together,
)

FLOAT = attr("T", "type: DT_FLOAT")

# Where a GraphDef has one fault the words are TensorFlow's.
SAME_WORDS = {
    "unknown input": A + identity("b", "zz"),
    "unknown control input": A + identity("b", "a,^zz"),
    "output too high": A + identity("b", "a:3"),
    "output of a node without outputs": node("a") + identity("b", "a"),
    "slot is negative": A + identity("b", "a:-1"),
    "wrong type": A + node("b", "Identity", "a", attr("T", "type: DT_INT32")),
    "no ref": A + node("b", "Assign", "a,a", FLOAT),
    "missing attr": A + node("b", "Identity", "a"),
    "too few inputs": A + identity("b", ""),
    "too many inputs": A + identity("b", "a,a"),
    "control input first": A + identity("b", "^a,a"),
    "twice": A + A,
    "attr of a wrong kind": A + node("b", "Identity", "a", attr("T", "i: 3")),
    "attr without value": A + node("b", "Identity", "a", attr("T", "")),
    "type not allowed": A + node("b", "Exp", "a", attr("T", "type: DT_STRING")),
    "type not allowed, from a named set": A + node("b", "Neg", "a", attr("T", "type: DT_STRING")),
    "second type not allowed": A
    + node("r", "Reshape", "a,a", FLOAT + attr("Tshape", "type: DT_FLOAT")),
    "number too small": A + node("p", "Pack", "a", FLOAT + attr("N", "i: 0")),
    "wrong rank": A + node("m", "MatMul", "a,a", FLOAT),
    "wrong size": A + node("m", "Unpack", "a", FLOAT + attr("num", "i: 3")),
    "name with underscore first": node("_b"),
    "name with space": node("b c"),
    "name empty": node(""),
    "op empty": node("q", op=""),
    "colocated with nothing": node("b", attrs=together("zz")),
    "colocated with itself and nothing": node("b", attrs=together("b", "zz")),
    "reader too old": A + "versions { producer: 22 min_consumer: 999999 }",
    "reader refused": A + "versions { producer: 22 bad_consumers: 2474 }",
    "writer too old": A + "versions { producer: -1 }",
    "shape contradicts": A + identity("b", "a", shapes("dim { size: 3 }")),
    "shape of another rank": A + identity("b", "a", shapes("dim { size: 2 } dim { size: -1 }")),
    "too few shapes": A + identity("b", "a", shapes()),
    "function named as an op": A + library(function("Identity")),
    "function of another type": A
    + node("i", "Cast", "a", attr("SrcT", "type: DT_FLOAT") + attr("DstT", "type: DT_INT32"))
    + node("f", "F", "i")
    + library(),
}


@pytest.mark.parametrize("case", SAME_WORDS)
def test_refusals_are_worded_as_in_tensorflow(case: str) -> None:
    text = SAME_WORDS[case]
    said = assert_same_refusal(lambda lib: lib.import_graph_def(parsed(lib, text)))
    assert said.startswith("ValueError: ")


def test_functions_that_differ_are_refused() -> None:
    def program(lib: Any) -> None:
        lib.import_graph_def(parsed(lib, A + library()))
        lib.import_graph_def(parsed(lib, A + library(function("F", "DT_INT32"))))

    assert "'F' because a different function" in assert_same_refusal(program)


# What is refused in words of our own: (GraphDef, words that must be there).
OWN_WORDS = {
    "cycle": (
        A + identity("b", "d") + identity("c", "b") + identity("d", "c") + identity("e", "d"),
        ["4 nodes in a cycle", "b, c, d, e"],
    ),
    "cycle of control inputs": (
        A + identity("b", "a,^c") + identity("c", "b"),
        ["2 nodes in a cycle", "b, c"],
    ),
    "cycle of one": (A + identity("b", "b"), ["1 nodes in a cycle", "b"]),
    "function without types": (
        A + node("b", "F", "a") + library(function("F", "DT_INVALID")),
        ["'import/b' calls a function: Argument", "of op 'F' has no element type"],
    ),
    "device": (
        node("b", device="/foo:bar"),
        [
            "'/foo:bar' in node: {{node import/b}}",
            "Unknown attribute: 'foo' in '/foo:bar'",
        ],
    ),
    "class of a wrong kind": (node("b", attrs=attr("_class", "i: 3")), ["'b'", "'_class'"]),
    "class of numbers": (node("b", attrs=attr("_class", "list { i: 3 }")), ["'b'", "'_class'"]),
    "class not in UTF-8": (node("b", attrs=together(r"\377")), ["'b'", "unknown node"]),
    "shapes of a wrong kind": (
        A + identity("b", "a", attr("_output_shapes", "i: 3")),
        ["'import/b'", "_output_shapes"],
    ),
    "shapes with negative sizes": (
        A + identity("b", "a", shapes("dim { size: -5 }")),
        ["_output_shapes", "-5", "{{node import/b}}"],
    ),
    "several kinds in a list": (
        node("b", attrs=attr("_q", 'list { i: 3 s: "x" }')),
        ["several kinds", "'_q'", "{{node import/b}}"],
    ),
    "attr that stands for another": (
        A + node("b", "Identity", "a", attr("T", 'placeholder: "T"')),
        ["'placeholder'", "'T'", "{{node import/b}}"],
    ),
    "constant of another type": (
        constant("b").replace('"dtype" value { type: DT_FLOAT', '"dtype" value { type: DT_INT32'),
        ["float", "int32", "{{node import/b}}"],
    ),
    "constant with a negative size": (
        constant("b").replace("tensor_shape { }", "tensor_shape { dim { size: -2 } }"),
        ["negative", "'value'", "{{node import/b}}"],
    ),
    "constant that would fill the memory": (
        constant("b").replace(
            "tensor_shape { }", f"tensor_shape {{ dim {{ size: {2**40} }} dim {{ size: 9 }} }}"
        ),
        ["'value'", "{{node import/b}}"],
    ),
    "transfer": (
        node("r", "_Recv", "", attr("tensor_type", "type: DT_FLOAT")),
        ["'r'", "'_Recv'", "a session adds"],
    ),
    "fetch": (A + node("r", "_Retval", "a", FLOAT + attr("index", "i: 0")), ["'r'", "'_Retval'"]),
    "huge number of outputs": (
        A + node("b", "Unpack", "a", FLOAT + attr("num", f"i: {2**40}")),
        ["'num'", "{{node import/b}}"],
    ),
}


@pytest.mark.parametrize("case", OWN_WORDS)
def test_refusals_name_node_and_reason(case: str) -> None:
    text, words = OWN_WORDS[case]
    with tf.Graph().as_default() as graph, pytest.raises(InvalidGraphDefError) as caught:
        tf.import_graph_def(parsed(tf, text))
    assert [word for word in words if word not in caught.value.message] == []
    assert graph.get_operations() == []


def test_refusals_are_both_of_tensorflows_kinds() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Unknown input node") as caught:
        tf.import_graph_def(parsed(tf, identity("b", "zz")))
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)
    assert caught.value.error_code == tf.errors.INVALID_ARGUMENT
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (type(again), again.message) == (type(caught.value), caught.value.message)


def test_an_unknown_op_is_not_found() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError) as caught:
        nodes = node("b", "Nope", "a") + node("c", "Other", "a") + node("d", "Other", "a")
        tf.import_graph_def(parsed(tf, A + nodes))
    assert caught.value.message.startswith("Op type not registered 'Nope' in node 'b'. ")
    assert caught.value.message.endswith("with the number of their nodes: Other (2), Nope (1).")
    assert caught.value.error_code == tf.errors.NOT_FOUND
    assert isinstance(caught.value, (ValueError, tf.errors.InvalidArgumentError))
    assert caught.value.node_def.name == "b"


FAILING = {
    "unknown op": (A + identity("b", "a") + node("q", "Nope"), {}),
    "cycle": (A + identity("b", "b"), {}),
    "wrong shape": (A + node("m", "MatMul", "a,a", FLOAT), {}),
    "nothing to return": (A, {"return_elements": ["zz"]}),
    "bad versions": (A + library() + "versions { producer: 1 min_consumer: 999999 }", {}),
}


@pytest.mark.parametrize("name", ["", "p"])
@pytest.mark.parametrize("case", FAILING)
def test_a_refused_graph_def_leaves_no_trace(case: str, name: str) -> None:
    text, arguments = FAILING[case]

    def program(lib: Any) -> list[Any]:
        graph = lib.get_default_graph()
        x = lib.constant([1.0, 2.0], name="x")
        try:
            lib.import_graph_def(
                parsed(lib, text.replace('input: "a"', 'input: "x"', 1)),
                name=name,
                input_map={"x": x},
                **arguments,
            )
        except (ValueError, lib.errors.NotFoundError):
            pass
        made = lib.no_op(name="a")
        return [graph.version, x.consumers(), made, len(graph.as_graph_def().library.function)]

    assert_same(program)


def test_a_refused_library_leaves_no_trace() -> None:
    # TensorFlow keeps the functions before the refused one.
    text = A + library(function("G"), function("Identity"))
    with tf.Graph().as_default() as graph, pytest.raises(ValueError, match="'Identity'"):
        tf.import_graph_def(parsed(tf, text))
    after = graph.as_graph_def()
    assert not after.node and not after.library.function
    assert after.versions.min_consumer == 0


def test_unused_names_are_found_out_last() -> None:
    def program(lib: Any) -> Any:
        try:
            lib.import_graph_def(parsed(lib, A), input_map={"zz": lib.constant(1.0, name="c")})
        except ValueError:
            pass
        return lib.get_default_graph().version

    assert_same(program)


def test_a_constant_of_another_type_than_it_says() -> None:
    graph_def = tf.GraphDef()
    broken = graph_def.node.add(name="c", op="Const")
    broken.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([1.0]))
    broken.attr["dtype"].type = tf.int32.as_datatype_enum
    for module in (tf, oracle):
        given = module.GraphDef.FromString(graph_def.SerializeToString())
        refused = pytest.raises((ValueError, module.errors.InvalidArgumentError))
        with module.Graph().as_default(), module.Session() as session, refused as raised:
            session.run(module.import_graph_def(given, return_elements=["c:0"]))
        assert "Type mismatch between value (float) and dtype (int32)" in str(raised.value)
