"""Functions as graphs, and graphs as functions, by TensorFlow's own paths."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import function_def_to_graph, graph_to_function_def

import dataflow as tf
from dataflow.porting.spellings.framework import function_bodies, graph_internals


def _body(library: Any) -> tuple[Any, list[Any], list[Any]]:
    with library.Graph().as_default() as graph:
        x = library.placeholder(library.float32, name="x")
        size = library.placeholder(library.int32, name="Size")
        best, places = library.nn.top_k(x, size, name="top")
        _, second = library.unstack(library.reshape(places, [2]), name="parts")
        total = library.add_n([best, x * 2.0], name="total")
    return graph, [x, size], [x, best, places, total, total, second]


def _both_ways(library: Any, written: Any, read: Any) -> list[Any]:
    graph, inputs, outputs = _body(library)
    fdef = written.graph_to_function_def(graph, graph.get_operations(), inputs, outputs)
    fdef.signature.name = "again"
    signature = fdef.signature
    found: list[Any] = [[arg.name for arg in (*signature.input_arg, *signature.output_arg)]]
    found += [[(n.name, n.op, list(n.input)) for n in fdef.node_def], dict(fdef.ret)]
    graph_def, names = read.function_def_to_graph_def(
        fdef, input_shapes=[None, library.TensorShape([])]
    )
    found += [names, [node.name for node in graph_def.node]]
    found += ["shape" in node.attr and str(node.attr["shape"]) for node in graph_def.node[:2]]
    for shapes in (None, [library.TensorShape([4]), library.TensorShape([])]):
        again = read.function_def_to_graph(fdef, input_shapes=shapes)
        found += [
            again.name,
            [t.shape.rank and t.shape.as_list() for t in (*again.inputs, *again.outputs)],
        ]
        with library.Session(graph=again) as session:
            values = session.run(again.outputs[1], {"x:0": [1.0, 4.0, 3.0, 2.0], "Size:0": 2})
        found.append(values.tolist())
    with pytest.raises(ValueError, match="must match the number of `input_arg`s"):
        read.function_def_to_graph(fdef, input_shapes=[None])
    return found


def test_a_graph_becomes_a_function_and_a_graph_again() -> None:
    ours = _both_ways(tf, graph_internals, function_bodies)
    assert ours == _both_ways(oracle, graph_to_function_def, function_def_to_graph)


def test_functions_that_a_function_calls_come_along() -> None:
    found = []
    for defun, library, read in (
        (tf.function, tf, function_bodies),
        (oracle.function, oracle, function_def_to_graph),
    ):
        with library.Graph().as_default():
            x, y = library.constant(5.0), library.constant(10.0)
            inner = defun(lambda x=x, y=y: x + y)
            outer = defun(lambda inner=inner: 2.0 * inner()).get_concrete_function()
            outer()
            graph = read.function_def_to_graph(outer.function_def, include_library_functions=True)
        with library.Session(graph=graph) as session:
            found.append(session.run(graph.outputs[0], {t.name: 4.0 for t in graph.inputs}))
    assert found == [16.0, 16.0]


def test_functions_that_are_traced_are_attrs_of_nodes() -> None:
    found = []
    for library in (tf, oracle):
        with library.Graph().as_default(), library.Session() as session:
            spec = library.TensorSpec([], library.float32)
            branches = [
                library.function(lambda x, k=k: x * k).get_concrete_function(spec) for k in (2, 3)
            ]
            results = [
                library.raw_ops.Case(
                    branch_index=index, input=[7.0], Tout=[library.float32], branches=branches
                )
                for index in (0, 1, -1)
            ]
            found.append(session.run(results))
    assert found[0] == found[1] == [[14.0], [21.0], [21.0]]
