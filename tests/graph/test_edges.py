"""Edges, names and attrs of nodes that programs make by hand, as TensorFlow has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def _consumers(lib: Any) -> Any:
    y = lib.constant(1)
    z = lib.add(y, y, name="z")
    twice = [op.name for op in y.consumers()]
    z.op._update_input(1, lib.constant(2))
    return twice, [op.name for op in y.consumers()]


def _named(lib: Any) -> Any:
    names = [lib.constant(1, name=b"bytes").op.name]
    with lib.name_scope("foo"), lib.name_scope("/") as scope:
        names.append(scope)
    return names


def _inferred(lib: Any) -> Any:
    graph = lib.get_default_graph()
    values = [lib.constant([1.0]), lib.constant([2])]
    made = graph.create_op("Identity", values[:1], [lib.float32], name="one")
    other = graph.create_op("GatherV2", [*values, lib.constant(0)], [lib.float32])
    return made.get_attr("T").name, [other.get_attr(key).name for key in ("Tparams", "Tindices")]


def _shapes(lib: Any) -> Any:
    return [
        lib.placeholder("float32", shape)._shape_tuple() for shape in ([], [2, None], [3])
    ], lib.placeholder("float32")._shape_tuple()


def _output_types(lib: Any) -> Any:
    return lib.unique([1.5, 1.5]).y.op._output_types


def _other_shape(lib: Any) -> Any:
    first = lib.constant(2, shape=[3, 1])
    lib.add(first, first).op._update_input(0, lib.constant(1, shape=[2, 2]))


def _no_such_input(lib: Any) -> Any:
    one = lib.constant(1)
    one.op._update_input(1, one)


def _circle(lib: Any) -> Any:
    first, second = lib.constant(0, name="first"), lib.constant(1, name="second")
    first.op._add_control_input(second.op)
    second.op._add_control_input(first.op)
    with lib.Session() as session:
        session.run(first)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "consumers": _consumers,
    "names": _named,
    "types of inputs": _inferred,
    "shapes": _shapes,
    "types of outputs": _output_types,
    "edge of another shape": _other_shape,
    "edge to no input": _no_such_input,
    "circle": _circle,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_same_as_tensorflow(program: Callable[[Any], Any]) -> None:
    assert _result(program, tf) == _result(program, oracle)


def _result(program: Callable[[Any], Any], lib: Any) -> Any:
    with lib.Graph().as_default():
        try:
            return program(lib)
        except lib.errors.OpError as error:
            message = str(error.message).removeprefix("Graph execution error:").strip()
            return type(error).__name__, message


def test_names_that_copiers_of_graphs_use() -> None:
    with tf.Graph().as_default() as graph:
        one = tf.constant(1, name="one")
    assert graph._nodes_by_name == {"one": one.op}
    assert one.op._outputs == [one]
