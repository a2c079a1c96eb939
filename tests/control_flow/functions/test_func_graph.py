"""Bodies of functions: captures, FunctionDefs made of them, and bodies made of FunctionDefs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.core.framework import function_pb2 as oracle_function_pb2
from tensorflow.python.framework import function_def_to_graph as oracle_import

import dataflow as tf
from dataflow.errors import InaccessibleTensorError, InvalidArgumentError
from dataflow.functions.func_graph import CondBranchFuncGraph, FuncGraph
from dataflow.functions.function_def_import import function_def_to_graph
from dataflow.functions.tracing import Parameter, trace
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values.shapes import TensorShape
from tests.control_flow.functional import Program, first_gradient, functional_control_flow
from tests.control_flow.programs import functional_cond_programs, functional_loop_programs
from tests.differentiation.both import assert_same_value, example, flatten, run

_EXCHANGED: list[Program] = [
    functional_cond_programs.captures,
    functional_cond_programs.nested,
    functional_cond_programs.by_switch_case,
    functional_cond_programs.resource_variable,
    functional_loop_programs.captures,
    functional_loop_programs.loop_in_loop,
    functional_loop_programs.cond_in_loop,
    functional_loop_programs.recurrent,
    functional_loop_programs.mapped,
]


def _name(program: Program) -> str:
    return program.__name__


def _graph_def(library: Any, program: Program) -> tuple[bytes, list[str], list[Any]]:
    """The graph, the names of what the program returns, and the values of that."""
    with functional_control_flow(library), library.Graph().as_default() as graph:
        fetches = [fetch for fetch in flatten(program(library)) if fetch is not None]
        data = graph.as_graph_def().SerializeToString()
        return data, [fetch.name for fetch in fetches], run(library, fetches)


def _run_imported(library: Any, graph_def: Any, names: list[str]) -> list[Any]:
    with library.Graph().as_default() as graph:
        library.import_graph_def(graph_def, name="")
        initial = [op for op in graph.get_operations() if op.type.startswith("Assign")]
        fetches = [graph.get_tensor_by_name(name) for name in names]
        with library.Session(graph=graph) as session:
            session.run([op for op in initial if op.name.endswith("/Assign")])
            return session.run(fetches, _feeds(graph))


def _feeds(graph: Any) -> dict[Any, Any]:
    return {
        op.outputs[0]: example(op.outputs[0])
        for op in graph.get_operations()
        if op.type == "Placeholder"
    }


@pytest.mark.parametrize("gradient", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("program", _EXCHANGED, ids=_name)
def test_tensorflow_runs_ours(program: Program, gradient: bool) -> None:
    """What is written here gives the same values there."""
    data, names, expected = _graph_def(tf, first_gradient(program) if gradient else program)
    found = _run_imported(oracle, oracle.GraphDef.FromString(data), names)
    for have, want in zip(found, expected, strict=True):
        assert_same_value(have, want)


@pytest.mark.parametrize("gradient", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("program", _EXCHANGED, ids=_name)
def test_tensorflows_runs_here(program: Program, gradient: bool) -> None:
    """What TensorFlow writes gives the same values here."""
    data, names, expected = _graph_def(oracle, first_gradient(program) if gradient else program)
    found = _run_imported(tf, GraphDef.FromString(data), names)
    for have, want in zip(found, expected, strict=True):
        assert_same_value(have, want)


@pytest.mark.parametrize("program", _EXCHANGED, ids=_name)
def test_imported_graph_is_differentiated(program: Program) -> None:
    """Its bodies are made of the FunctionDefs then."""
    data, names, _ = _graph_def(oracle, program)

    def slopes(library: Any, graph_def: Any) -> list[Any]:
        with functional_control_flow(library), library.Graph().as_default() as graph:
            library.import_graph_def(graph_def, name="")
            ys = [graph.get_tensor_by_name(name) for name in names]
            # An imported variable is no object that gradients can be taken for.
            found = library.gradients(ys, graph.get_tensor_by_name("x:0"))
            initial = [
                op
                for op in graph.get_operations()
                if op.type.startswith("Assign") and op.name.endswith("/Assign")
            ]
            with library.Session(graph=graph) as session:
                session.run(initial)
                return session.run(found, _feeds(graph))

    theirs = slopes(oracle, oracle.GraphDef.FromString(data))
    for have, want in zip(slopes(tf, GraphDef.FromString(data)), theirs, strict=True):
        assert_same_value(have, want)


def test_capture() -> None:
    """An outer tensor becomes one input, however often it is used, with what is known of it."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, None], name="x")
        graph = FuncGraph("body")
        with graph.as_default():
            y = x * 2.0 + x
        assert [external for external, _ in graph.captures] == [x]
        assert [tensor.name for tensor in graph.inputs] == ["mul/x:0"]
        assert graph.inputs[0].shape.as_list() == [2, None]
        assert y.graph is graph
        assert graph.capture(y) is y
        assert x.op.outputs[0].consumers() == []


def test_capture_through_several_bodies() -> None:
    """Each body captures from the graph around it only when its call is made there."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        outer = FuncGraph("outer")
        with outer.as_default():
            inner = FuncGraph("inner")
            with inner.as_default():
                x + 1.0
            assert inner.external_captures == [x]
            assert inner.outer_graph is outer


def test_tensor_of_an_inner_body() -> None:
    """A body cannot use what a body inside it has made."""
    with tf.Graph().as_default():
        outer = FuncGraph("outer")
        with outer.as_default():
            inner = FuncGraph("inner")
            with inner.as_default():
                made = tf.constant(1.0) * 2.0
            with pytest.raises(InaccessibleTensorError, match="is out of scope"):
                made + 1.0


def test_init_scope_leaves_bodies() -> None:
    """Initial values are made outside, where they are run once."""
    with tf.Graph().as_default() as graph, graph.device("/cpu:0"):
        branch = CondBranchFuncGraph("branch")
        with branch.as_default(), tf.name_scope("scope"), tf.init_scope():
            made = tf.constant(1.0, name="made")
        assert made.graph is graph
        assert made.op.name == "scope/made"
        assert made.op.device == "/device:CPU:0"


def test_outer_control_dependency_is_left_to_the_call() -> None:
    """A body's nodes cannot wait for nodes outside of it."""
    with tf.Graph().as_default():
        outside = tf.no_op(name="outside")
        body = FuncGraph("body")
        with body.as_default():
            inside = tf.no_op(name="inside")
            with tf.control_dependencies([outside, inside]):
                waiting = tf.constant(1.0)
        assert waiting.op.control_inputs == [inside]
        assert list(body.captured.control) == [outside]


def test_round_trip() -> None:
    """A FunctionDef gives a body that gives the same FunctionDef, but for the body's name."""
    with tf.Graph().as_default() as graph:
        body = trace(
            FuncGraph("body"),
            lambda a, b: [tf.split(a, 2)[1] + b, a],
            [
                Parameter(tf.float32, TensorShape([4]), "first"),
                Parameter(tf.float32, TensorShape([]), "second"),
            ],
        )
        definition = body.to_function().definition
        again = function_def_to_graph(definition, graph)
        assert [tensor.shape.as_list() for tensor in again.inputs] == [[4], []]
        assert again.to_function().definition == definition
        # TensorFlow reads the same graph out of it.
        with oracle.Graph().as_default():
            theirs = oracle_import.function_def_to_graph(
                oracle_function_pb2.FunctionDef.FromString(definition.SerializeToString())
            )
        names = [op.name for op in again.get_operations()]
        assert names == [op.name for op in theirs.get_operations()]


def _definition() -> FunctionDef:
    body = trace(
        FuncGraph("body"), lambda a: tf.sin(a) * 2.0, [Parameter(tf.float32, TensorShape([]), "a")]
    )
    return body.to_function().definition


def _without_result(definition: FunctionDef) -> None:
    definition.ret.clear()


def _with_unknown_op(definition: FunctionDef) -> None:
    definition.node_def[0].op = "NoSuchOp"


def _with_unknown_input(definition: FunctionDef) -> None:
    definition.node_def[0].input[0] = "nowhere"


def _with_unknown_output(definition: FunctionDef) -> None:
    name = definition.node_def[0].name
    definition.node_def[1].input[:] = [f"{name}:nothing:0", f"{name}:y:7"]


def _with_cycle(definition: FunctionDef) -> None:
    name = definition.node_def[0].name
    definition.node_def[0].input[0] = f"{name}:y:0"


def _without_attr(definition: FunctionDef) -> None:
    for node in definition.node_def:
        node.attr.clear()


@pytest.mark.parametrize(
    "damage",
    [
        _without_result,
        _with_unknown_op,
        _with_unknown_input,
        _with_unknown_output,
        _with_cycle,
        _without_attr,
    ],
    ids=lambda damage: damage.__name__,
)
def test_malformed_definition(damage: Any) -> None:
    """A damaged function is refused, and the refusal says what is wrong with what."""
    with tf.Graph().as_default() as graph:
        definition = _definition()
        damage(definition)
        with pytest.raises(InvalidArgumentError, match=r"body|Sin|mul|'a'"):
            function_def_to_graph(definition, graph)


def test_gradient_sees_through_captures() -> None:
    """Inside of a body an outer tensor and what stands for it there are one."""
    with tf.Graph().as_default(), functional_control_flow(tf):
        x = tf.constant([1.0, 2.0])

        def slope() -> Any:
            return tf.gradients(tf.square(x) * x, x)[0]

        result = tf.cond(x[0] > 0.5, slope, lambda: x)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(result), [3.0, 12.0])


_OF_A_SHAPE: dict[str, Any] = {
    "fill": lambda m, s: m.fill(s, 1.0),
    "gamma": lambda m, s: m.random.gamma(s, m.ones([4, 1]), m.ones([1, 2])),
    "normal": lambda m, s: m.random.normal(s),
    "ones": lambda m, s: m.ones(s),
    "poisson": lambda m, s: m.random.poisson(lam=[1.0, 2.0], shape=s),
    "reshape": lambda m, s: m.reshape(m.placeholder(m.float32), m.concat([s, [-1]], 0)),
    "slice": lambda m, s: m.zeros(s[1:]),
    "stateless": lambda m, s: m.random.stateless_uniform(s, [1, 2]),
    "stateless gamma": lambda m, s: m.random.stateless_gamma(s, [1, 2], 1.0),
    "tile": lambda m, s: m.tile([[1.0]], s),
    "truncated": lambda m, s: m.random.truncated_normal(s),
    "whole numbers": lambda m, s: m.random.uniform(s, 0, 9, m.int32),
    "within": lambda m, s: m.cond(s[0] > 0, lambda: m.zeros(s), lambda: m.ones(s)),
}


@pytest.mark.parametrize("name", _OF_A_SHAPE)
def test_shapes_that_a_body_takes_from_outside(name: str) -> None:
    """As far as TensorFlow tells them, which does not of what a caller passes."""
    assert _shapes_in_body(tf, name) == _shapes_in_body(oracle, name)


def _shapes_in_body(module: Any, name: str) -> list[str]:
    found: list[str] = []
    with functional_control_flow(module), module.Graph().as_default():
        outside = module.constant([3])

        def inner(passed: Any) -> Any:
            for part in (outside, passed):
                made = _OF_A_SHAPE[name](module, module.concat([[5], part], 0))
                found.append(str(made.shape))
            return passed

        def outer(passed: Any) -> Any:
            return module.function(inner)(passed)

        module.function(outer)(module.placeholder(module.int32, [1]))
    return found
