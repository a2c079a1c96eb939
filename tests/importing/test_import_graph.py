"""What an import makes of a good GraphDef: shapes, versions, functions, loops, and its cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import dataflow as tf
from tests.importing.both import assert_same, parsed
from tests.importing.nodes import (
    A,
    attr,
    function,
    identity,
    library,
    node,
    placeholder,
    shapes,
    strings,
)
from tests.passes.op_set import BorrowedOps

U = placeholder("u", None)
FLOAT = attr("T", "type: DT_FLOAT")

SHAPES = {
    "refined": U + identity("b", "u", shapes("dim { size: 3 } dim { size: -1 }")),
    "refined for what comes after": U
    + identity("b", "u", shapes("dim { size: 3 }"))
    + node("s", "Shape", "b", FLOAT),
    "known better already": A + identity("b", "a", shapes("dim { size: -1 }")),
    "unknown": A + identity("b", "a", shapes("unknown_rank: true")),
    "one too many": A + identity("b", "a", shapes("dim { size: 2 }", "")),
    "no outputs": node("b", attrs=shapes()),
    "several outputs": U
    + node("b", "Unpack", "u", FLOAT + attr("num", "i: 2") + shapes("", "dim { size: -1 }")),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes_in_the_graph_def_refine(case: str) -> None:
    assert_same(lambda lib: lib.import_graph_def(parsed(lib, SHAPES[case])))


def test_defaults_are_filled_in() -> None:
    text = (
        A
        + node("m", "ExpandDims", "a,c", FLOAT)
        + node(
            "c",
            "Const",
            "",
            attr("dtype", "type: DT_INT32")
            + attr("value", "tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 }"),
        )
    )
    lines = assert_same(lambda lib: lib.import_graph_def(parsed(lib, text)))
    assert any("Tdim=<type: DT_INT32>" in line for line in lines)


@pytest.mark.parametrize("kind", ["DT_FLOAT", "DT_STRING", "DT_BFLOAT16", "DT_INT64"])
def test_a_repeated_value_stays_short(kind: str) -> None:
    fields = {"DT_FLOAT": "float_val", "DT_STRING": "string_val"}
    field = fields.get(kind, "half_val" if kind == "DT_BFLOAT16" else "int64_val")
    value = '"ab"' if kind == "DT_STRING" else "16256"
    shape = "tensor_shape { dim { size: 3 } dim { size: 400 } }"
    text = node(
        "c",
        "Const",
        "",
        attr("dtype", f"type: {kind}")
        + attr("value", f"tensor {{ dtype: {kind} {shape} {field}: {value} }}"),
    )
    lines = assert_same(lambda lib: lib.import_graph_def(parsed(lib, text)))
    assert len(lines[0]) < 300


def test_attrs_that_no_schema_knows_are_kept() -> None:
    kinds = ["i: 3", 's: "x"', "f: 2.5", "b: true", "type: DT_INT32", "shape { dim { size: 2 } }"]
    kinds += ["tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 }", 'placeholder: "T"']
    kinds += ['func { name: "F" attr { key: "k" value { i: 3 } } }', "list { i: 3 i: 4 }"]
    kinds += ['list { func { name: "F" } }', "list { b: true }", "list { shape { } }"]
    text = node("b", attrs="".join(attr(f"_k{i}", kind) for i, kind in enumerate(kinds)))
    assert_same(lambda lib: lib.import_graph_def(parsed(lib, text)))


def test_classes_that_are_no_places_are_kept_byte_for_byte() -> None:
    # TensorFlow wants UTF-8.
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(parsed(tf, node("b", attrs=strings("_class", r"b\377"))))
    assert list(graph.as_graph_def().node[0].attr["_class"].list.s) == [b"b\xff"]


VERSIONS = {
    "none": [A],
    "old": [A + "versions { producer: 21 min_consumer: 12 bad_consumers: [7, 3] }"],
    "merged": [
        A + "versions { producer: 21 min_consumer: 12 bad_consumers: [7, 3] }",
        A + "versions { producer: 1000 min_consumer: 2 bad_consumers: 5 }",
    ],
    "of the future": [A + "versions { producer: 999999 }"],
    "function": [A + node("f", "F", "a") + library() + "versions { producer: 900 }"],
}


@pytest.mark.parametrize("case", VERSIONS)
def test_versions_are_merged(case: str) -> None:
    def program(lib: Any) -> Any:
        for text in VERSIONS[case]:
            lib.import_graph_def(parsed(lib, text))
        versions = lib.get_default_graph().as_graph_def().versions
        return [versions.producer, versions.min_consumer, list(versions.bad_consumers)]

    def without_shapes(lib: Any) -> Any:
        # Shapes of function calls are not inferred here.
        result = program(lib)
        for op in lib.get_default_graph().get_operations():
            if op.type == "F":
                op.outputs[0].set_shape([2])
        return result

    assert_same(without_shapes)


def test_functions_come_along() -> None:
    def program(lib: Any) -> Any:
        calls = A + node("f", "F", "a")
        lib.import_graph_def(parsed(lib, calls + library(function("F"), function("G"))))
        lib.import_graph_def(parsed(lib, calls + library()))
        lib.import_graph_def(parsed(lib, calls))
        for op in lib.get_default_graph().get_operations():
            if op.type == "F":
                op.outputs[0].set_shape([2])
        return sorted(str(f) for f in lib.get_default_graph().as_graph_def().library.function)

    assert_same(program)


def test_a_gradient_function_comes_along_once() -> None:
    graph_def = parsed(tf, A + 'library { gradient { function_name: "F" gradient_func: "G" } }')
    with tf.Graph().as_default() as graph:
        for _ in range(2):
            tf.import_graph_def(graph_def)
        (added,) = graph.as_graph_def().library.gradient
        assert (added.function_name, added.gradient_func) == ("F", "G")
        graph_def.library.gradient[0].gradient_func = "H"
        with pytest.raises(ValueError, match="'F' because it already has gradient function 'G'"):
            tf.import_graph_def(graph_def)


def test_a_call_of_a_function_runs() -> None:
    with tf.Graph().as_default() as graph:
        (f,) = tf.import_graph_def(
            parsed(tf, A + node("f", "F", "a") + library()), return_elements=["f:0"]
        )
        with tf.Session(graph=graph) as session:
            assert session.run(f, {"import/a:0": [1.0, 2.0]}).tolist() == [1.0, 2.0]


@pytest.fixture(scope="module")
def loop_ops() -> Iterator[None]:
    """The ops of loops, as far as they are not defined here."""
    borrowed = BorrowedOps()
    borrowed.define("Enter", "Merge", "Switch", "LoopCond", "NextIteration", "Exit")
    yield
    borrowed.give_back()


LOOP = (
    node("e", "Enter", "a", FLOAT + attr("frame_name", 's: "f"'))
    + node("m", "Merge", "e,n", FLOAT + attr("N", "i: 2"))
    + node("n", "NextIteration", "i", FLOAT)
    + identity("i", "m")
)


@pytest.mark.usefixtures("loop_ops")
@pytest.mark.parametrize("order", [1, -1])
def test_a_loop_is_closed(order: int) -> None:
    graph_def = parsed(tf, A + LOOP)
    nodes = list(graph_def.node)[::order]
    del graph_def.node[:]
    graph_def.node.extend(nodes)
    with tf.Graph().as_default() as graph:
        merge, back, inner = tf.import_graph_def(graph_def, return_elements=["m", "n", "i"])
        assert [t.name for t in merge.inputs] == ["import/e:0", "import/n:0"]
        assert back.outputs[0].consumers() == [merge]
        assert merge.outputs[0].shape.rank is None
        names = [n.name for n in graph.as_graph_def().node]
    assert inner.inputs[0] is merge.outputs[0]
    assert names.index("import/m") < names.index("import/i") < names.index("import/n")


@pytest.mark.usefixtures("loop_ops")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"e" input: "n"', '"e" input: "n:1"', "'m': Connecting to invalid output 1 of source"),
        ('"NextIteration"', '"Identity"', "3 nodes in a cycle"),
        ('"Merge"', '"AddN"', "3 nodes in a cycle"),
        ('"e" input: "n"', '"e" input: "^n"', "3 nodes in a cycle"),
    ],
)
def test_loops_that_cannot_be_closed_are_refused(old: str, new: str, words: str) -> None:
    text = A + LOOP
    assert old in text
    with tf.Graph().as_default() as graph, pytest.raises(ValueError, match=words):
        tf.import_graph_def(parsed(tf, text.replace(old, new)))
    assert graph.version == 0


@pytest.mark.usefixtures("loop_ops")
def test_a_back_edge_of_another_type_is_refused() -> None:
    text = A + LOOP.replace(
        node("n", "NextIteration", "i", FLOAT),
        node("k", "Cast", "i", attr("SrcT", "type: DT_FLOAT") + attr("DstT", "type: DT_INT32"))
        + node("n", "NextIteration", "k", attr("T", "type: DT_INT32")),
    )
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="1 of node import/m was passed int32 from import/n:0"),
    ):
        tf.import_graph_def(parsed(tf, text))


def chain(length: int) -> tf.GraphDef:
    """A long chain, last node first: the worst order."""
    graph_def = parsed(tf, A)
    for index in range(length, 0, -1):
        n = graph_def.node.add(name=f"n{index}", op="Identity")
        n.input.append(f"n{index - 1}" if index > 1 else "a")
        n.attr["T"].type = 1
    return graph_def


def test_long_chains_need_no_deep_stack_and_linear_time() -> None:
    def seconds(length: int) -> float:
        graph_def = chain(length)
        best = float("inf")
        for _ in range(3):
            with tf.Graph().as_default() as graph:
                start = time.process_time()
                tf.import_graph_def(graph_def)
                best = min(best, time.process_time() - start)
            assert graph.version == length + 1
        return best

    # Ten times the nodes may not take more than thirty times as long; quadratic is a hundred.
    assert seconds(20_000) < 30 * max(seconds(2_000), 0.01)


def test_many_imports_into_one_graph_do_not_slow_down() -> None:
    graph_def = parsed(tf, A + identity("b", "a"))

    def seconds() -> float:
        best = float("inf")
        for _ in range(8):
            start = time.process_time()
            for _ in range(10):
                tf.import_graph_def(graph_def, name="")
            best = min(best, time.process_time() - start)
        return best

    with tf.Graph().as_default():
        small = seconds()
        tf.import_graph_def(chain(30_000), name="deep")
        # A look at every node of the graph would take each import several milliseconds.
        assert seconds() < 5 * max(small, 0.005)


def test_many_threads_import_into_one_graph() -> None:
    graph_def = parsed(tf, A + identity("b", "a"))
    graph = tf.Graph()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with graph.as_default():
                for _ in range(20):
                    tf.import_graph_def(graph_def, name="")
                    tf.import_graph_def(graph_def)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    names = [op.name for op in graph.get_operations()]
    assert len(names) == len(set(names)) == 8 * 20 * 2 * 2
    assert [op._id for op in graph.get_operations()] == list(range(1, len(names) + 1))
