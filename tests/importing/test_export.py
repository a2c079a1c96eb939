"""Graph.as_graph_def: the messages are TensorFlow's, and so are their encodings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.control_flow.functional import described
from tests.importing.both import assert_same_nodes, oracle, parsed
from tests.importing.nodes import A, identity, library
from tests.importing.programs import PROGRAMS


def exported(build: Callable[[Any], Any], **arguments: Any) -> tuple[tf.GraphDef, Any]:
    """The GraphDefs of both libraries."""
    graph_defs = []
    for lib in (tf, oracle):
        with lib.Graph().as_default() as graph:
            build(lib)
        graph_defs.append(graph.as_graph_def(**arguments))
    return graph_defs[0], graph_defs[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_export_the_same_nodes(name: str) -> None:
    ours, theirs = exported(PROGRAMS[name].build)
    assert_same_graph(ours, theirs)
    assert ours.versions.SerializeToString() == theirs.versions.SerializeToString()


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_export_the_same_shapes(name: str) -> None:
    assert_same_graph(*exported(PROGRAMS[name].build, add_shapes=True))


def assert_same_graph(ours: tf.GraphDef, theirs: Any) -> None:
    """Fails unless the nodes are the same, and the functions but for numbers in their names."""
    if not theirs.library.function:
        assert_same_nodes(ours, theirs)
    assert described(ours.SerializeToString()) == described(theirs.SerializeToString())


# The Const op: what it is given, how its value is written, and what it computes.

CONSTANTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "float": (1.5, {}),
    "int": (3, {}),
    "bool": (True, {}),
    "text": ("\u00fcber", {}),
    "bytes": (b"a\x00b", {}),
    "complex": (1 - 2j, {}),
    "list": ([[1, 2], [3, 4]], {}),
    "list of floats and ints": ([1, 2.5], {}),
    "list of texts": (["a", "", "\u00e9"], {}),
    "one of a list": ([7.0], {}),
    "all equal": ([[2.0] * 3] * 2, {}),
    "empty": ([], {}),
    "empty of a shape": (np.zeros([0, 3], np.int64), {}),
    "array": (np.arange(6, dtype=np.int16).reshape(2, 3), {}),
    "array in columns": (np.asfortranarray(np.arange(6.0).reshape(2, 3)), {}),
    "filled": (7, {"shape": [2, 3]}),
    "filled with the last": ([1.0, 2.0], {"shape": [2, 2]}),
    "reshaped": ([1, 2, 3, 4], {"shape": [2, 2]}),
    "nan and infinity": ([float("nan"), float("inf"), -0.0], {}),
    "largest": (np.uint64([2**64 - 1]), {}),
    "smallest": (np.int64(-(2**63)), {}),
    "named": (1.0, {"name": "scope/c"}),
    "bool array": (np.array([True, False]), {}),
    "array of texts": (np.array([[b"ab"], [b"c"]], object), {}),
}
TYPES = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "uint16"]
TYPES += ["int32", "uint32", "int64", "uint64", "complex64", "complex128"]
for _name in TYPES:
    for _shape, _value in {"scalar": 3, "list": [0, 1, 2], "filled": [[5, 5], [5, 5]]}.items():
        CONSTANTS[f"{_name} {_shape}"] = (_value, {"dtype": _name})


def making(case: str) -> Callable[[Any], Any]:
    value, arguments = CONSTANTS[case]

    def build(lib: Any) -> Any:
        given = dict(arguments)
        if "dtype" in given:
            given["dtype"] = lib.as_dtype(given["dtype"])
        return lib.constant(value, **given)

    return build


# Here the array is written in full; TensorFlow leaves out what repeats the last element.
@pytest.mark.parametrize("case", [c for c in CONSTANTS if c != "filled with the last"])
def test_constants_are_written_as_tensorflow_writes_them(case: str) -> None:
    ours, theirs = exported(making(case))
    assert_same_nodes(ours, theirs)
    assert ours.node[0].op == "Const"


@pytest.mark.parametrize("case", CONSTANTS)
def test_constants_are_what_they_were_given(case: str) -> None:
    values = []
    for lib in (tf, oracle):
        with lib.Graph().as_default() as graph:
            fetch = making(case)(lib)
            with lib.Session(graph=graph) as session:
                values.append(np.asarray(session.run(fetch)))
    ours, theirs = values
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert ours.tolist() == theirs.tolist() or np.array_equal(ours, theirs, equal_nan=True)


def test_a_constant_keeps_what_it_was_given() -> None:
    array = np.float32([1, 2])
    with tf.Graph().as_default() as graph:
        tf.constant(array)
        array[0] = 9
        kept = tf.make_ndarray(graph.as_graph_def().node[0].attr["value"].tensor)
    assert kept.tolist() == [1.0, 2.0]


# The rest of the GraphDef


def test_only_newer_operations_are_exported() -> None:
    # What TensorFlow's documentation says; 2.21 exports all.
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        before = graph.version
        tf.add(a, 3.0, name="c")
    names = [
        [n.name for n in graph.as_graph_def(from_version=version).node]
        for version in (None, 0, before, graph.version)
    ]
    assert names == [["a", "c/y", "c"], ["a", "c/y", "c"], ["c/y", "c"], []]


def test_control_inputs_are_sorted_by_name() -> None:
    def build(lib: Any) -> None:
        late, early = lib.no_op(name="z"), lib.no_op(name="b")
        x, other = lib.constant(2.0, name="x"), lib.constant(1.0, name="m")
        with lib.control_dependencies([late, other, early]):
            lib.identity(x, name="y")

    ours, theirs = exported(build)
    assert_same_nodes(ours, theirs)
    assert list(ours.node[-1].input) == ["x", "^b", "^m", "^z"]


def test_what_was_changed_after_it_was_made_is_exported() -> None:
    def build(lib: Any) -> None:
        a, b = lib.constant(1.0, name="a"), lib.constant(2.0, name="b")
        c = lib.identity(a, name="c").op
        c._update_input(0, b)
        c._add_control_inputs([a.op])
        c._set_device("/device:CPU:0")
        c._set_attr("_mark", lib.AttrValue(s=b"x"))
        d = lib.identity(a, name="d")
        d.set_shape([])

    assert_same_nodes(*exported(build, add_shapes=True))


def test_a_library_is_exported() -> None:
    with tf.Graph().as_default() as graph:
        assert not graph.as_graph_def().HasField("library")
        tf.import_graph_def(parsed(tf, A + library()))
        assert [f.signature.name for f in graph.as_graph_def().library.function] == ["F"]


def test_an_exported_graph_is_the_graph_again() -> None:
    for program in PROGRAMS.values():
        with tf.Graph().as_default() as graph:
            program.build(tf)
        graph_def = graph.as_graph_def(add_shapes=True)
        with tf.Graph().as_default() as again:
            tf.import_graph_def(graph_def, name="")
        exported_again = again.as_graph_def(add_shapes=True)
        # Like TensorFlow's, the importer adds what enters a loop before what goes round.
        for either in (graph_def, exported_again):
            either.node.sort(key=lambda node: node.name)
        assert exported_again == graph_def


def test_more_than_two_gigabytes_are_refused_by_name() -> None:
    with tf.Graph().as_default() as graph:
        big = np.broadcast_to(np.float32(1), [2**28, 3])
        op = tf.constant(1.0, name="big").op
        # A view: a graph as large needs the memory only when it is written.
        op.attrs["value"] = big
        with pytest.raises(ValueError, match=r"larger than 2GB.*big \(3221225472 bytes\)"):
            graph.as_graph_def()


def test_the_graph_def_is_a_copy() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(parsed(tf, A + identity("b", "a")), name="")
    graph.as_graph_def().node[0].name = "x"
    graph.as_graph_def().versions.producer = 3
    assert graph.as_graph_def().node[0].name == "a"
    assert graph.as_graph_def().versions.producer == 0
