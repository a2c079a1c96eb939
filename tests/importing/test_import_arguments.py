"""The arguments of import_graph_def: what is replaced, what is returned, what is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow as tf
from tests.importing.both import assert_same, assert_same_refusal, oracle, parsed
from tests.importing.nodes import A, attr, identity, node, placeholder

Program = Callable[[Any], Any]

AB = A + identity("b", "a,^a")
Y, Z = node("y"), node("z")


def mapping(input_map: dict[Any, Any], text: str = AB, **arguments: Any) -> Program:
    """A program that imports with a map to tensors "c", a float vector, "d", an int, or "u:1"."""

    def run(lib: Any) -> Any:
        outside = {
            "c": lib.constant([1.0, 2.0], name="c"),
            "d": lib.constant(3, name="d"),
            "u:1": lib.unstack(lib.zeros([2]), name="u")[1],
        }
        return lib.import_graph_def(
            parsed(lib, text),
            input_map={
                key: outside[value] if isinstance(value, str) else value
                for key, value in input_map.items()
            },
            **arguments,
        )

    return run


MAPS = {
    "tensor": mapping({"a:0": "c"}, return_elements=["b"]),
    "operation stands for its output 0": mapping({"a": "c"}),
    "bytes": mapping({b"a:0": "c"}),
    "other output": mapping({"a": "u:1"}, name="q"),
    "control input": mapping({"^a": "c"}),
    "data and control": mapping({"a:0": "c", "^a": "d"}),
    "without prefix": mapping({"a:0": "c"}, name=""),
    "converted": mapping({"a": [5.0, 6.0]}),
    "of a wrong shape": mapping({"a": 5.0}),
    "not used, but there": mapping({"b:0": "c"}, return_elements=["b:0", "b"]),
    "in the middle": mapping(
        {"b:0": "c"},
        A + identity("b", "a") + identity("d", "b") + identity("e", "b,^b"),
        return_elements=["b:0", "d:0"],
    ),
    "node that is not there": mapping({"zz:0": "c"}, identity("b", "zz"), return_elements=["zz:0"]),
    "output that is not there": mapping({"a:1": "c"}, A + identity("b", "a:1")),
    "control input that is not there": mapping({"^zz": "c"}, A + identity("b", "a,^zz")),
    "control inputs to one": mapping({"^y": "c", "^z": "c"}, A + Y + Z + identity("b", "a,^y,^z")),
    "breaks a cycle": mapping({"c:0": "c"}, identity("b", "c") + identity("c", "b")),
}


@pytest.mark.parametrize("case", MAPS)
def test_inputs_are_replaced_as_in_tensorflow(case: str) -> None:
    assert_same(MAPS[case])


def test_a_variable_is_replaced_by_its_value() -> None:
    def program(lib: Any) -> Any:
        variable = lib.Variable([1.0, 2.0], name="v", use_resource=False)
        return lib.import_graph_def(parsed(lib, AB), input_map={"a": variable})

    assert_same(program)


MAP_REFUSALS = {
    "unused": mapping({"q:0": "c"}),
    "output too high": mapping({"a:2": "c"}),
    "control input": mapping({"^q": "c"}),
    "wrong type": mapping({"a:0": "d"}),
    "converted to a wrong type": mapping({"a:0": 3}),
    "key is no string": mapping({3: "c"}),
    "no dictionary": lambda lib: lib.import_graph_def(parsed(lib, A), input_map=[1]),
    "nothing to convert in": mapping({"a:0": 3}, name=""),
    "two colons": mapping({"a:0:0": "c"}),
    "slot is no number": mapping({"a:x": "c"}),
    "slot is negative": mapping({"a:-1": "c"}),
}


@pytest.mark.parametrize("case", MAP_REFUSALS)
def test_what_cannot_be_replaced_is_named(case: str) -> None:
    assert_same_refusal(MAP_REFUSALS[case])


def test_all_keys_without_use_are_named() -> None:
    # TensorFlow 2.21 prints bytes that it has freed.
    keys = {"zz": "c", "q:1": "c", "^w": "c", "a:0": "c", "b:7": "c"}
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"\[b:7, q:1, \^w, zz:0\]"):
        mapping(keys)(tf)


def test_tensors_of_another_graph_are_refused() -> None:
    def program(lib: Any) -> Any:
        with lib.Graph().as_default():
            elsewhere = lib.constant([1.0, 2.0], name="elsewhere")
        return lib.import_graph_def(parsed(lib, AB), input_map={"a": elsewhere})

    assert "'elsewhere' in input_map does not exist" in assert_same_refusal(program)


def test_tensors_of_two_graphs_are_refused() -> None:
    def program(lib: Any) -> Any:
        with lib.Graph().as_default():
            elsewhere = lib.constant(1.0, name="elsewhere")
        here = lib.constant(1.0, name="here")
        return lib.import_graph_def(parsed(lib, AB), input_map={"a": elsewhere, "b": here})

    text = r"same graph as Tensor\(\"elsewhere:0\".*\(graphs are <[\w.]+ object at 0x\w+> and <"
    for lib in (tf, oracle):
        with lib.Graph().as_default(), pytest.raises(ValueError, match=text):
            program(lib)


def test_an_operation_is_no_value() -> None:
    def program(lib: Any) -> Any:
        return lib.import_graph_def(parsed(lib, AB), input_map={"a": lib.no_op(name="done")})

    assert_same_refusal(program)


def returning(*elements: Any, text: str = A) -> Program:
    return lambda lib: lib.import_graph_def(parsed(lib, text), return_elements=list(elements))


@pytest.mark.parametrize(
    "elements", [[], ["a"], ["a:0"], ["a", "a:0", b"a", b"a:0"], ["a:0", "a:0"]], ids=str
)
def test_elements_are_returned_as_in_tensorflow(elements: list[Any]) -> None:
    assert_same(returning(*elements))


def test_a_string_is_a_list_of_names() -> None:
    assert_same(lambda lib: lib.import_graph_def(parsed(lib, AB), return_elements="ab"))


@pytest.mark.parametrize(
    "element", ["b", "b:0", "a:4", "a:0:0", "a:x", "^a", "", ":0", 3, None], ids=repr
)
def test_elements_that_are_not_there_are_named(element: Any) -> None:
    assert_same_refusal(returning(element))


def test_a_negative_output_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="return output -1 of node 'a'"):
        returning("a:-1")(tf)


@pytest.mark.parametrize("value", [None, b"", 3, "graph.pb"], ids=repr)
def test_only_a_graph_def_is_imported(value: Any) -> None:
    text = assert_same_refusal(lambda lib: lib.import_graph_def(value))
    assert text == "TypeError: graph_def must be a GraphDef proto."


def test_other_messages_are_refused() -> None:
    assert_same_refusal(lambda lib: lib.import_graph_def(lib.NodeDef()))
    assert_same_refusal(lambda lib: lib.import_graph_def(lib.Graph()))


def test_op_dict_changes_nothing() -> None:
    assert_same(lambda lib: lib.import_graph_def(parsed(lib, A), op_dict={"a": 3}))


def test_a_graph_def_of_tensorflow_is_imported() -> None:
    with tf.Graph().as_default():
        (b,) = tf.import_graph_def(parsed(oracle, AB), return_elements=["b:0"])
    assert (b.name, b.shape.as_list()) == ("import/b:0", [2])


def test_a_finalized_graph_takes_nothing() -> None:
    def program(lib: Any) -> None:
        lib.get_default_graph().finalize()
        lib.import_graph_def(lib.GraphDef())

    assert "Graph is finalized" in assert_same_refusal(program)


PRODUCER = """op { name: "Identity"
    attr { name: "T" type: "type" }
    attr { name: "mode" type: "string" default_value { s: "fast" } }
    attr { name: "size" type: "int" } }"""


@pytest.mark.parametrize("mode", ["fast", "slow"])
def test_attrs_that_have_the_producers_default_are_left_out(mode: str) -> None:
    extra = attr("mode", f's: "{mode}"') + attr("size", "i: 0") + attr("_mode", 's: "fast"')

    def program(lib: Any) -> Any:
        from google.protobuf import text_format
        from tensorflow.core.framework import op_def_pb2 as theirs

        from dataflow.proto import op_def_pb2 as ours

        module = theirs if lib is oracle else ours
        ops = text_format.Parse(PRODUCER, module.OpList())
        graph_def = parsed(lib, A + identity("b", "a", extra))
        return lib.import_graph_def(graph_def, producer_op_list=ops)

    lines = assert_same(program)
    assert ("mode=<s: " in lines[1].replace("_mode", "")) == (mode == "slow")


def test_the_callers_graph_def_is_left_alone() -> None:
    text = placeholder("a", None) + node("r", "MatMul", "a,a", attr("T", "type: DT_FLOAT"))
    graph_def = parsed(tf, text)
    before = graph_def.SerializeToString(deterministic=True)
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def)
    assert graph_def.SerializeToString(deterministic=True) == before
