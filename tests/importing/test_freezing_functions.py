"""Frozen variables that conditionals, loops and calls take by their handles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

oracle.disable_v2_behavior()

Build = Callable[[Any], None]
_X = np.float32([[1, 2, 3], [-1, 0.5, -2]])


@pytest.fixture(autouse=True)
def functional_control_flow() -> Iterator[None]:
    """Conditionals and loops are nodes with functions, and variables are resources."""
    for lib in (tf, oracle):
        lib.enable_control_flow_v2()
    yield
    for lib in (tf, oracle):
        lib.disable_control_flow_v2()


def _weights(lib: Any, name: str, *shape: int) -> Any:
    values = np.random.RandomState(len(name)).randn(*shape).astype(np.float32)
    return lib.get_variable(name, initializer=lib.constant(values), use_resource=True)


def _x(lib: Any) -> Any:
    return lib.placeholder(lib.float32, [None, 3], name="x")


def conditional(lib: Any) -> None:
    x, w, bias = _x(lib), _weights(lib, "w", 3, 2), _weights(lib, "bias", 2)
    chosen = lib.cond(x[0, 0] > 0, lambda: lib.matmul(x, w) + bias, lambda: lib.matmul(x, w * 2.0))
    lib.identity(chosen, name="y")


def loop(lib: Any) -> None:
    x, w = _x(lib), _weights(lib, "w", 3, 3)
    _, state = lib.while_loop(
        lambda i, s: (i < 4) & (lib.reduce_sum(w) < 1e6),
        lambda i, s: (i + 1, lib.tanh(lib.matmul(s, w))),
        [0, x],
    )
    lib.identity(state, name="y")


def nested(lib: Any) -> None:
    x, table, w = _x(lib), _weights(lib, "table", 4, 3), _weights(lib, "w", 3, 3)

    def body(i: Any, state: Any) -> Any:
        row = lib.cond(
            i < 2,
            lambda: lib.gather(table, [i, 3]),
            lambda: lib.gather_nd(table, [[0], [i]]) @ w,
        )
        return i + 1, state + row

    _, state = lib.while_loop(lambda i, s: i < 4, body, [0, x])
    lib.identity(state, name="y")


def switch(lib: Any) -> None:
    x, w = _x(lib), _weights(lib, "w", 3, 3)
    branches = [lambda: x, lambda: lib.matmul(x, w), lambda: x + w[0]]
    lib.identity(lib.switch_case(lib.to_int32(x[0, 0]), branches), name="y")


def gradient(lib: Any) -> None:
    x, w = _x(lib), _weights(lib, "w", 3, 3)
    _, state = lib.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, lib.tanh(lib.matmul(s, w))), [0, x]
    )
    lib.identity(lib.gradients(state, x)[0], name="y")


def frozen(lib: Any, build: Build, **arguments: Any) -> tuple[Any, Any]:
    """The frozen graph, and what the variables gave before."""
    with lib.Graph().as_default() as graph:
        build(lib)
        with lib.Session(graph=graph) as session:
            session.run(lib.global_variables_initializer())
            value = session.run("y:0", {"x:0": _X})
            return lib.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"], **arguments
            ), value


def computed(lib: Any, graph_def: Any) -> Any:
    with lib.Graph().as_default() as graph:
        lib.import_graph_def(graph_def, name="")
        with lib.Session(graph=graph) as session:
            return session.run("y:0", {"x:0": _X})


def called(graph_def: Any) -> list[Any]:
    """The nodes of the graph and of the functions they call."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    nodes = list(graph_def.node)
    for node in nodes:
        for value in node.attr.values():
            for function in [value.func, *value.list.func]:
                if function.name in functions:
                    nodes += functions.pop(function.name).node_def
    return nodes


def described(graph_def: Any) -> list[str]:
    """The nodes of the graph and of its functions, without the numbers of functions."""
    lines = [f"{n.name} {n.op} {list(n.input)}" for n in graph_def.node]
    for function in graph_def.library.function:
        name = function.signature.name
        arguments = [(a.name, a.type) for a in function.signature.input_arg]
        results = [(a.name, a.type) for a in function.signature.output_arg]
        lines.append(f"{name} {arguments} {results} {sorted(function.ret.items())}")
        lines += [f"{name}/{n.name} {n.op} {list(n.input)}" for n in function.node_def]
    return sorted(re.sub(r"_\d+", "_N", line) for line in lines)


@pytest.mark.parametrize("build", [conditional, loop, nested, switch, gradient])
def test_functions_take_the_values(build: Build) -> None:
    """The graph computes what it did, here and in TensorFlow, and holds no variable."""
    ours, value = frozen(tf, build)
    _, expected = frozen(oracle, build)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    kinds = {node.op for node in called(ours)}
    assert not {kind for kind in kinds if "Variable" in kind or kind.startswith(("Var", "Res"))}
    np.testing.assert_allclose(computed(tf, ours), expected, rtol=1e-5)
    there = oracle.GraphDef.FromString(ours.SerializeToString())
    np.testing.assert_allclose(computed(oracle, there), expected, rtol=1e-5)


@pytest.mark.parametrize("build", [conditional, loop])
def test_functions_are_tensorflows(build: Build) -> None:
    """Names, types and nodes of the functions; and a graph frozen there runs here."""
    (ours, _), (theirs, expected) = frozen(tf, build), frozen(oracle, build)
    assert described(ours) == described(theirs)
    here = tf.GraphDef.FromString(theirs.SerializeToString())
    np.testing.assert_allclose(computed(tf, here), expected, rtol=1e-5)


def test_functions_of_variables_that_stay_are_left_alone() -> None:
    ours, _ = frozen(tf, conditional, variable_names_blacklist=["w", "bias"])
    with tf.Graph().as_default() as graph:
        conditional(tf)
    before = [f.signature.name.rpartition("_")[0] for f in graph.as_graph_def().library.function]
    assert [f.signature.name.rpartition("_")[0] for f in ours.library.function] == before


def test_one_of_two_variables_is_frozen() -> None:
    ours, _ = frozen(tf, conditional, variable_names_whitelist=["bias"])
    branch = next(f for f in ours.library.function if "true" in f.signature.name)
    kinds = [tf.as_dtype(a.type) for a in branch.signature.input_arg]
    assert kinds.count(tf.resource) == 1
    assert [n.op for n in branch.node_def].count("ReadVariableOp") == 1


def test_a_branch_that_writes_the_variable_is_named() -> None:
    def build(lib: Any) -> None:
        x, w = _x(lib), _weights(lib, "w", 3)
        lib.identity(
            lib.cond(x[0, 0] > 0, lambda: lib.assign_add(w, x[0]).read_value(), lambda: w + 1.0),
            name="y",
        )

    with pytest.raises(ValueError, match=r"freeze variable 'w': node '.*' of type AssignAddVar"):
        frozen(tf, build)


def test_a_function_that_is_not_there_is_named() -> None:
    with tf.Graph().as_default() as graph:
        conditional(tf)
        graph_def = graph.as_graph_def()
        del graph_def.library.function[:]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(ValueError, match=r"Node 'cond' of type If calls .* not in the lib"):
                tf.graph_util.convert_variables_to_constants(session, graph_def, ["y"])
