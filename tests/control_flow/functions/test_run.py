"""Graphs with functions that TensorFlow wrote give here what they give there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tensorflow.python.framework import function
from tensorflow.python.ops import gen_functional_ops

import dataflow as tf
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from tests.control_flow.programs.function_programs import (
    PROGRAMS,
    FunctionProgram,
    as_ours,
    graph_def_of,
    oracle,
    results,
)

ON_RAY = ("variables", "lists_in_loop", "fibonacci")
"""What runs on Ray too: each takes seconds there."""


def assert_same_results(ours: Sequence[Any], theirs: Sequence[Any]) -> None:
    for run, (here, there) in enumerate(zip(ours, theirs, strict=True)):
        for place, (a, b) in enumerate(zip(here, there, strict=True)):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), (run, place)
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=f"run {run}, fetch {place}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    program = PROGRAMS[name]
    graph_def = graph_def_of(program)
    theirs = results(oracle, graph_def, program)
    assert_same_results(results(tf, as_ours(graph_def), program), theirs)
    node_by_node = tf.ConfigProto()
    node_by_node.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF
    ours = results(tf, as_ours(graph_def), program, config=node_by_node)
    assert_same_results(ours, theirs)


@pytest.mark.ray
@pytest.mark.parametrize("name", ON_RAY)
def test_program_on_ray(name: str, ray_cluster: None) -> None:
    program = PROGRAMS[name]
    graph_def = graph_def_of(program)
    theirs = results(oracle, graph_def, program)
    assert_same_results(results(tf, as_ours(graph_def), program, "ray"), theirs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_back_runs_in_tensorflow(name: str) -> None:
    program = PROGRAMS[name]
    graph_def = graph_def_of(program)
    theirs = results(oracle, graph_def, program)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def), name="")
        written = oracle.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    names = {function.signature.name for function in graph_def.library.function}
    assert {function.signature.name for function in written.library.function} == names
    assert_same_results(results(oracle, written, program), theirs)


@pytest.mark.parametrize("name", ["loop", "conditional", "parity"])
def test_functions_come_with_the_nodes_that_need_them(name: str) -> None:
    program = PROGRAMS[name]
    graph_def = as_ours(graph_def_of(program))
    parts = tf.graph_util.extract_sub_graph(graph_def, ["y"])
    assert parts.library == graph_def.library
    fetches = FunctionProgram(program.build, ("y:0",), program.runs)
    theirs = results(oracle, graph_def_of(program), fetches)
    assert_same_results(results(tf, parts, fetches), theirs)


def test_variables_become_constants_beside_functions() -> None:
    def build() -> None:
        w = oracle.get_variable("w", initializer=[1.0, 2.0], use_resource=True)

        @oracle.function
        def f(x: Any, w: Any) -> Any:
            return oracle.cond(oracle.reduce_sum(x) > 0, lambda: x * w, lambda: x - w)

        oracle.identity(f(oracle.placeholder(oracle.float32, [2], name="x"), w + 0.0), name="y")
        oracle.global_variables_initializer()

    program = FunctionProgram(
        build, runs=[{"x:0": np.float32([1, 3])}, {"x:0": np.float32([-1, -3])}]
    )
    graph_def = graph_def_of(program)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def), name="")
        with tf.Session(graph=graph) as session:
            session.run("init")
            frozen = tf.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"]
            )
    assert not {node.op for node in frozen.node} & {"VarHandleOp", "ReadVariableOp"}
    expected = results(oracle, graph_def, FunctionProgram(build, runs=program.runs, init="init"))
    assert_same_results(results(tf, frozen, program), expected)
    theirs = oracle.GraphDef.FromString(frozen.SerializeToString())
    assert_same_results(results(oracle, theirs, program), expected)


def test_a_graph_with_functions_grows_between_runs() -> None:
    graph_def = as_ours(graph_def_of(PROGRAMS["conditional"]))
    feeds = {"x:0": np.float32([1, 2]), "limit:0": 0.5}
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        (call,) = (node.name for node in graph_def.node if node.op == "PartitionedCall")
        assert session.run("y:0", feeds).tolist() == [3, 6]
        more = graph.get_tensor_by_name(f"{call}:0") * 2.0
        assert session.run(more, feeds).tolist() == [6, 12]
        tf.import_graph_def(graph_def, name="again")
        again = {f"again/{name}": value for name, value in feeds.items()}
        assert session.run("again/y:0", again).tolist() == [3, 6]


def test_partitions_bring_the_functions_they_call() -> None:
    graph_def = as_ours(graph_def_of(PROGRAMS["parity"]))
    metadata = tf.RunMetadata()
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        options = tf.RunOptions(output_partition_graphs=True)
        session.run("y:0", {"n:0": 3}, options, metadata)
        (partition,) = metadata.partition_graphs
        assert [node.op for node in partition.node].count("StatefulPartitionedCall") == 1
        called = {function.signature.name for function in partition.library.function}
        assert called == {f"{a}{b}" for a in ("even", "odd") for b in ("", "_more", "_end")}


def _on_two_devices() -> None:
    @oracle.function
    def f(x: Any, n: Any) -> Any:
        def body(i: Any, total: Any) -> Any:
            with oracle.device("/cpu:1"):
                grown = total * 2.0
            with oracle.device("/cpu:0"):
                moved = grown + x

            def far() -> Any:
                with oracle.device("/cpu:1"):
                    return moved - 1.0

            return i + 1, oracle.cond(oracle.reduce_sum(moved) > 20.0, far, lambda: moved)

        return oracle.while_loop(lambda i, _: i < n, body, [0, x])[1]

    n = oracle.placeholder(oracle.int32, [], name="n")
    x = oracle.placeholder(oracle.float32, [2], name="x")
    with oracle.device("/cpu:1"):
        y = f(x, n)
    oracle.identity(y, name="y")


@pytest.mark.parametrize("target", ["", pytest.param("ray", marks=pytest.mark.ray)])
def test_bodies_on_several_devices(target: str, request: pytest.FixtureRequest) -> None:
    if target:
        request.getfixturevalue("ray_cluster")
    graph_def = graph_def_of(FunctionProgram(_on_two_devices))
    outcomes = []
    for library, nodes in ((oracle, graph_def), (tf, as_ours(graph_def))):
        config = library.ConfigProto(device_count={"CPU": 2})
        with library.Graph().as_default() as graph:
            library.import_graph_def(nodes, name="")
            where = "" if library is oracle else target
            with library.Session(where, graph=graph, config=config) as session:
                feeds = {"x:0": np.float32([1, 2])}
                outcomes.append([session.run("y:0", {**feeds, "n:0": n}).tolist() for n in (0, 5)])
    assert outcomes[1] == outcomes[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_static_shapes_are_those_of_tensorflow(name: str) -> None:
    """Also of what a call returns: TensorFlow looks into the function."""
    graph_def = graph_def_of(PROGRAMS[name])
    shapes = []
    for library, nodes in ((oracle, graph_def), (tf, as_ours(graph_def))):
        with library.Graph().as_default() as graph:
            library.import_graph_def(nodes, name="")
            ops = graph.get_operations()
            shapes.append({t.name: str(t.shape) for op in ops for t in op.outputs})
    assert shapes[1] == shapes[0]


def test_shapes_of_deep_calls_are_given_up() -> None:
    depth = 400

    def build() -> None:
        @function.Defun(oracle.float32, func_name="level_0", out_names=["y"])
        def first(x: Any) -> Any:
            return x + 1.0

        @function.Defun(oracle.float32, func_name="level_1", out_names=["y"])
        def second(x: Any) -> Any:
            return gen_functional_ops.partitioned_call([x], [oracle.float32], first)[0] + 1.0

        x = oracle.placeholder(oracle.float32, [2], name="x")
        y = gen_functional_ops.partitioned_call([x], [oracle.float32], second, name="call")
        oracle.identity(y[0], name="y")

    program = FunctionProgram(build, runs=[{"x:0": np.float32([1, 2])}])
    graph_def = as_ours(graph_def_of(program))
    functions = graph_def.library.function
    template = next(f for f in functions if f.signature.name == "level_1")
    for level in range(2, depth):
        made = functions.add()
        made.CopyFrom(template)
        made.signature.name = f"level_{level}"
        (call,) = (node for node in made.node_def if node.op == "PartitionedCall")
        call.attr["f"].func.name = f"level_{level - 1}"
    (call,) = (node for node in graph_def.node if node.op == "PartitionedCall")
    call.attr["f"].func.name = f"level_{depth - 1}"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        assert graph.get_tensor_by_name("y:0").shape.rank is None
    (found,) = results(tf, graph_def, program)[0]
    assert found.tolist() == [401.0, 402.0]
