"""tf.graph_util: sub-graphs, frozen variables, graphs without training nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.importing.both import assert_same, assert_same_nodes, assert_same_refusal, oracle, parsed
from tests.importing.nodes import A, attr, identity, library, node, shapes, strings, together

FLOAT = attr("T", "type: DT_FLOAT")
Build = Callable[[Any], None]


# Sub-graphs


def extracting(text: str, dest: Any) -> tuple[Any, Any]:
    ours, theirs = (
        lib.graph_util.extract_sub_graph(parsed(lib, text), dest) for lib in (tf, oracle)
    )
    return ours, theirs


GRAPH = (
    identity("late", "b")
    + A
    + identity("b", "a:0,^c")
    + node("c", attrs=together("d"))
    + node("d", attrs=strings("_class", "e"))
    + node("e")
    + identity("alone", "a")
    + library()
    + "versions { producer: 99 min_consumer: 3 }"
)


@pytest.mark.parametrize(
    "dest", [["late"], ["b", "late"], ["alone"], ["e"], [], ("d",), {"c": 1}], ids=str
)
def test_sub_graphs_are_tensorflows(dest: Any) -> None:
    ours, theirs = extracting(GRAPH, dest)
    assert_same_nodes(ours, theirs)
    assert ours.versions.producer == 99
    assert ours.versions.min_consumer == 3
    assert [f.signature.name for f in ours.library.function] == ["F"]


def test_a_sub_graph_is_a_copy() -> None:
    graph_def = parsed(tf, A)
    tf.graph_util.extract_sub_graph(graph_def, ["a"]).node[0].name = "x"
    assert graph_def.node[0].name == "a"


def test_destinations_may_come_from_an_iterator() -> None:
    result = tf.graph_util.extract_sub_graph(parsed(tf, GRAPH), iter(["alone"]))
    assert [n.name for n in result.node] == ["a", "alone"]


@pytest.mark.parametrize("dest", ["a", ["zz"], ["a", "zz"], ["a:0"]], ids=str)
def test_wrong_destinations_are_named(dest: Any) -> None:
    assert_same_refusal(lambda lib: lib.graph_util.extract_sub_graph(parsed(lib, A), dest))


def test_only_a_graph_def_has_sub_graphs() -> None:
    with pytest.raises(TypeError, match=r"must be a graph_pb2\.GraphDef proto, but got type <cl"):
        tf.graph_util.extract_sub_graph(None, ["a"])


@pytest.mark.parametrize("text", [identity("b", "zz"), node("b", attrs=together("zz"))])
def test_a_sub_graph_that_is_not_whole_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Node 'b' needs node 'zz', which is not in the graph"):
        tf.graph_util.extract_sub_graph(parsed(tf, text), ["b"])


# Frozen variables


def frozen(lib: Any, build: Build, outputs: list[str], **arguments: Any) -> Any:
    """The graph with constants, and what it computes when imported again."""
    with lib.Graph().as_default() as graph:
        build(lib)
        with lib.Session(graph=graph) as session:
            session.run(lib.global_variables_initializer())
            graph_def = graph.as_graph_def()
            result = lib.graph_util.convert_variables_to_constants(
                session, graph_def, outputs, **arguments
            )
    return result


def computed(lib: Any, graph_def: Any, output: str, feed: Any = None) -> Any:
    with lib.Graph().as_default() as graph:
        (fetch,) = lib.import_graph_def(graph_def, return_elements=[f"{output}:0"], name="")
        feeds = {"x:0": feed} if feed is not None else {}
        with lib.Session(graph=graph) as session:
            return session.run(fetch, feeds)


def dense(use_resource: bool) -> Build:
    def build(lib: Any) -> None:
        x = lib.placeholder(lib.float32, [None, 3], name="x")
        with lib.variable_scope("layer", use_resource=use_resource):
            start = lib.constant_initializer(np.arange(6, dtype=np.float32).reshape(3, 2))
            w = lib.get_variable("w", [3, 2], initializer=start)
            b = lib.get_variable("b", initializer=lib.constant([0.5, -0.5]))
        with lib.device("/cpu:0"):
            product = lib.matmul(x, w)
        with lib.control_dependencies([product]):
            lib.identity(lib.nn.relu(product + b) * w[0, 1], name="y")

    return build


@pytest.mark.parametrize("use_resource", [False, True])
def test_frozen_graphs_are_tensorflows_and_compute_the_same(use_resource: bool) -> None:
    build = dense(use_resource)
    ours, theirs = (frozen(lib, build, ["y"]) for lib in (tf, oracle))
    assert_same_nodes(ours, theirs)
    assert not any("Var" in n.op or n.op == "Assign" for n in ours.node)
    feed = np.float32([[1, 2, 3], [-1, 0.5, -2]])
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    expected = np.maximum(feed @ weights + np.float32([0.5, -0.5]), 0) * weights[0, 1]
    np.testing.assert_allclose(computed(tf, ours, "y", feed), expected, rtol=1e-6)
    np.testing.assert_allclose(computed(oracle, theirs, "y", feed), expected, rtol=1e-6)
    theirs_from_ours = oracle.GraphDef.FromString(ours.SerializeToString())
    np.testing.assert_allclose(computed(oracle, theirs_from_ours, "y", feed), expected, rtol=1e-6)


@pytest.mark.parametrize("use_resource", [False, True])
def test_trained_values_are_frozen(use_resource: bool) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(2.0, name="v", use_resource=use_resource)
        tf.square(v, name="y")
        grow = tf.assign_add(v, 3.0)
        with tf.Session(graph=graph) as session:
            session.run(v.initializer)
            session.run(grow)
            result = tf.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"]
            )
            session.run(grow)
    assert computed(tf, result, "y") == np.float32(25)


def lookups(lib: Any) -> None:
    table = lib.get_variable(
        "table",
        initializer=lib.constant(np.arange(12, dtype=np.float32).reshape(4, 3)),
        use_resource=True,
    )
    rows = table.sparse_read(lib.constant([2, 0, 2]), name="rows")
    lib.identity(rows, name="y")
    picks = table.gather_nd(lib.constant([[1, 2], [3, 0]], lib.int64), name="picks")
    lib.identity(picks, name="z")


@pytest.mark.parametrize(
    ("output", "expected"),
    [("y", [[6, 7, 8], [0, 1, 2], [6, 7, 8]]), ("z", [5, 9])],
)
def test_lookups_in_a_frozen_variable_are_gathers(output: str, expected: Any) -> None:
    ours, theirs = (frozen(lib, lookups, [output]) for lib in (tf, oracle))
    assert_same_nodes(ours, theirs)
    np.testing.assert_array_equal(computed(tf, ours, output), np.float32(expected))


def two_variables(lib: Any) -> None:
    a = lib.Variable([1.0, 2.0], name="a", use_resource=False)
    b = lib.Variable([3.0], name="b", use_resource=True)
    handle = lib.identity(b.handle, name="alias")
    read = lib.raw_ops.ReadVariableOp(resource=handle, dtype=lib.float32, name="read")
    lib.add(a, read, name="y")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"variable_names_whitelist": ["a"]},
        {"variable_names_whitelist": ["b"]},
        {"variable_names_blacklist": ["a"]},
        {"variable_names_blacklist": ["a", "b"]},
        {"variable_names_whitelist": ["a", "b"], "variable_names_blacklist": ["b"]},
        {"variable_names_whitelist": []},
    ],
    ids=str,
)
def test_only_the_chosen_variables_are_frozen(arguments: dict[str, Any]) -> None:
    ours, theirs = (frozen(lib, two_variables, ["y"], **arguments) for lib in (tf, oracle))
    assert_same_nodes(ours, theirs)


@pytest.mark.parametrize("dtype", ["float16", "int64", "bool", "string", "bfloat16", "complex64"])
def test_variables_of_all_types_are_frozen(dtype: str) -> None:
    def build(lib: Any) -> None:
        kind = lib.as_dtype(dtype)
        values = ["ab", "c"] if dtype == "string" else lib.cast(lib.constant([0, 3]), kind)
        variable = lib.Variable(lib.constant(values) if dtype == "string" else values, name="v")
        lib.identity(variable, name="y")

    ours, theirs = (frozen(lib, build, ["y"]) for lib in (tf, oracle))
    assert_same_nodes(ours, theirs)


def test_shapes_of_what_was_a_variable_are_inferred_anew() -> None:
    def build(lib: Any) -> Any:
        v = lib.Variable([1.0, 2.0], name="v", use_resource=False)
        lib.identity(v, name="y")
        with lib.Session() as session:
            session.run(v.initializer)
            graph_def = lib.get_default_graph().as_graph_def(add_shapes=True)
            return lib.graph_util.convert_variables_to_constants(session, graph_def, ["y"])

    results = []
    for lib in (tf, oracle):
        with lib.Graph().as_default():
            results.append(build(lib))
    assert_same_nodes(*results)


def test_uninitialised_variables_are_refused() -> None:
    def program(lib: Any) -> None:
        lib.Variable(1.0, name="v", use_resource=False)
        with lib.Session() as session:
            lib.graph_util.convert_variables_to_constants(
                session, lib.get_default_graph().as_graph_def(), ["v/read"]
            )

    with tf.Graph().as_default(), pytest.raises(tf.errors.FailedPreconditionError, match="value v"):
        program(tf)


def test_a_missing_output_is_named() -> None:
    def program(lib: Any) -> None:
        with lib.Session() as session:
            lib.graph_util.convert_variables_to_constants(session, parsed(lib, A), ["q"])

    assert assert_same_refusal(program) == "AssertionError: q is not in graph"


def test_what_needs_the_variable_itself_is_refused() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v", use_resource=True)
        step = tf.assign_add(v, 1.0, name="step").op
        with tf.Session() as session:
            session.run(v.initializer)
            with pytest.raises(ValueError, match=f"freeze variable 'v': node '{step.name}' of typ"):
                tf.graph_util.convert_variables_to_constants(
                    session, graph.as_graph_def(), [step.name]
                )


def test_batched_lookups_are_refused() -> None:
    def build(lib: Any) -> None:
        v = lib.get_variable("v", initializer=lib.constant([[1.0, 2.0]]), use_resource=True)
        lib.raw_ops.ResourceGather(
            resource=v.handle, indices=[[1]], dtype=lib.float32, batch_dims=1, name="y"
        )

    assert_same_refusal(lambda lib: frozen(lib, build, ["y"]))


# Graphs without training nodes


def without_training(text: str, **arguments: Any) -> tuple[Any, Any]:
    ours, theirs = (
        lib.graph_util.remove_training_nodes(parsed(lib, text), **arguments) for lib in (tf, oracle)
    )
    return ours, theirs


CHECK = node("k", "CheckNumerics", "a", FLOAT + attr("message", 's: ""'))
INFERENCE = {
    "identities in a row": A + identity("b", "a") + identity("c", "b") + identity("d", "c,^e")
    + node("e") + node("f", "Neg", "c", FLOAT),
    "stop gradient": A + node("b", "StopGradient", "a", FLOAT) + node("c", "Neg", "b", FLOAT),
    "checks": A + CHECK + node("c", "Neg", "a,^k", FLOAT),
    "waited for": A + identity("b", "a") + node("c", "Neg", "b,^b", FLOAT),
    "waits": A + node("e") + identity("b", "a,^e") + node("c", "Neg", "b", FLOAT),
    "colocated": A + identity("b", "a") + node("c", "Neg", "b", FLOAT + together("b")),
    "other outputs": A
    + node("s", "Unpack", "a", FLOAT + attr("num", "i: 2"))
    + identity("b", "s:1")
    + node("c", "Neg", "b", FLOAT + shapes("")),
    "library and versions": A + library() + "versions { producer: 9 }",
}  # fmt: skip


@pytest.mark.parametrize("case", INFERENCE)
@pytest.mark.parametrize("protected", [None, ["b", "k"]], ids=str)
def test_training_nodes_are_removed_as_in_tensorflow(
    case: str, protected: list[str] | None
) -> None:
    ours, theirs = without_training(INFERENCE[case], protected_nodes=protected)
    assert_same_nodes(ours, theirs)
    assert not ours.library.function
    assert ours.versions.producer == 0


def test_what_a_check_looked_at_takes_its_place() -> None:
    # TensorFlow 2.21 leaves such nodes without input.
    text = A + CHECK + node("ck", "Neg", "k:0,^k", FLOAT) + identity("d", "k")
    text += identity("e", "d:0") + identity("f", "ck,^ck")
    result = tf.graph_util.remove_training_nodes(parsed(tf, text), ["e"])
    assert [(n.name, list(n.input)) for n in result.node] == [
        ("a", []),
        ("ck", ["a"]),
        ("e", ["a"]),
        ("f", ["ck", "^ck"]),
    ]


@pytest.mark.parametrize(
    "text", [identity("b", "c") + identity("c", "b") + node("d", "Neg", "b", FLOAT)]
)
def test_identities_in_a_circle_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="2 nodes in a cycle: b, c"):
        tf.graph_util.remove_training_nodes(parsed(tf, text))


# The rest


@pytest.mark.parametrize("pin", [False, True])
@pytest.mark.parametrize(
    ("op", "kind", "dtype"),
    [
        ("Const", "dtype", "DT_INT32"),
        ("Const", "dtype", "DT_STRING"),
        ("Const", "dtype", "DT_FLOAT"),
        ("DynamicStitch", "T", "DT_INT32"),
        ("DynamicStitch", "T", "DT_FLOAT"),
        ("ParallelDynamicStitch", "T", "DT_INT32"),
        ("Cast", "SrcT", "DT_INT32"),
        ("Cast", "DstT", "DT_INT32"),
        ("VariableV2", "dtype", "DT_FLOAT"),
        ("AssignAdd", "T", "DT_FLOAT"),
        ("Identity", "T", "DT_INT32"),
    ],
)
def test_cpu_nodes_are_tensorflows(op: str, kind: str, dtype: str, pin: bool) -> None:
    def program(lib: Any) -> Any:
        graph_def = parsed(lib, node("n", op, "", attr(kind, f"type: {dtype}")))
        return lib.graph_util.must_run_on_cpu(graph_def.node[0], pin)

    assert_same(program)


def test_operations_are_asked_about_too() -> None:
    assert_same(lambda lib: lib.graph_util.must_run_on_cpu(lib.constant(3).op))
    assert_same(lambda lib: lib.graph_util.must_run_on_cpu(lib.constant(3.0).op))


@pytest.mark.parametrize("name", ["x", "x:0", "x:1", "q", "q:0"])
def test_shapes_by_input_name_are_tensorflows(name: str) -> None:
    def program(lib: Any) -> Any:
        lib.placeholder(lib.float32, [None, 3], name="x")
        shape = lib.graph_util.tensor_shape_from_node_def_name(lib.get_default_graph(), name)
        return shape.as_list()

    assert_same(program)
