"""Stacks: StackV2, StackPushV2, StackPopV2, StackCloseV2 and their old forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import errors
from tests.conftest import SessionFactory
from tests.control_flow.programs.failures import assert_same_failure
from tests.differentiation.both import assert_same_graph, assert_same_refusal

Action = Callable[[Any, Any], Any]


def push(value: Any, **attrs: Any) -> Action:
    return lambda library, stack: library.raw_ops.StackPushV2(handle=stack, elem=value, **attrs)


def pop(dtype: str = "float32") -> Action:
    return lambda library, stack: library.raw_ops.StackPopV2(
        handle=stack, elem_type=getattr(library, dtype)
    )


def close(library: Any, stack: Any) -> Any:
    return library.raw_ops.StackCloseV2(handle=stack)


def use(
    actions: Sequence[Action], limit: Any = -1, dtype: str = "float32", **attrs: Any
) -> Callable[[Any], Any]:
    """A program that does one thing to a stack after the other and gives what they give."""

    def build(library: Any) -> Any:
        size = library.placeholder_with_default(np.int32(limit), None)
        kind = getattr(library, dtype)
        stack = library.raw_ops.StackV2(max_size=size, elem_type=kind, **attrs)
        results: list[Any] = []
        for action in actions:
            with library.control_dependencies(results[-1:]):
                results.append(action(library, stack))
        return [r for r in results if hasattr(r, "dtype")]

    return build


@pytest.mark.parametrize(
    "program",
    [
        use([push(1.0), push(2.0), pop(), pop()]),
        use([push([[1.0]]), push(2.0, swap_memory=True), pop(), push(3.0), pop(), pop()], 2),
        use([push([b"a"]), push([b"b", b"c"]), pop("string"), pop("string")], dtype="string"),
        use([push(True), pop("bool"), close, close], dtype="bool", stack_name="mine"),
    ],
)
def test_last_in_first_out(program: Any) -> None:
    assert_same_graph(program)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (use([pop()]), "is empty"),
        (use([push(1.0), pop(), pop()], stack_name="mine"), "is empty"),
        (use([push(1.0), push(2.0), pop()], 1), "overflowed its max_size (1)"),
        (use([push(1.0), pop()], 0), "overflowed its max_size (0)"),
        (use([push(1.0), pop()], [1, 2]), "must be a scalar"),
        (use([push(1), pop("int32")]), "Must have type 1 but got 3"),
        (use([close, push(1.0), pop()]), "already been closed"),
        (use([push(1.0), close, pop()]), "already been closed"),
    ],
)
def test_misuse_fails_the_step(program: Any, text: str) -> None:
    assert text in assert_same_failure(program)


def test_popping_another_type_is_an_internal_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = use([push(1.0), pop("int32")])(tf)
        with pytest.raises(errors.InternalError, match="type float does not match declared"):
            session.run(fetches)


@pytest.mark.parametrize("shape", [[3], [2, 3]])
def test_a_handle_is_a_vector_of_two(shape: list[int]) -> None:
    assert_same_refusal(lambda library: close(library, library.placeholder("resource", shape)))


def test_each_run_of_the_op_makes_a_stack(session_factory: SessionFactory) -> None:
    stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32)
    pushed = tf.raw_ops.StackPushV2(handle=stack, elem=tf.constant(1.0))
    with tf.control_dependencies([pushed]):
        popped = tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32)
    session = session_factory()
    assert [session.run(popped) for _ in range(3)] == [1.0, 1.0, 1.0]
    with pytest.raises(errors.InvalidArgumentError, match="is empty"):
        session.run(tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float32))


def test_stacks_of_old_graphs_run() -> None:
    """TensorFlow makes no such ops any more, but runs graphs that have them."""
    graph_def = oracle.GraphDef()
    graph_def.versions.producer = 10

    def add(name: str, op: str, inputs: Sequence[str], **attrs: Any) -> None:
        node = graph_def.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)

    kind = oracle.AttrValue(type=1)
    value = oracle.AttrValue(tensor=oracle.make_tensor_proto([1.5, 2.5]))
    add("value", "Const", [], dtype=kind, value=value)
    add("stack", "Stack", [], elem_type=kind)
    add("push", "StackPush", ["stack", "value"], T=kind)
    add("pop", "StackPop", ["stack", "^push"], elem_type=kind)
    add("close", "StackClose", ["stack", "^pop"])
    add("again", "StackPop", ["stack", "^pop"], elem_type=kind)
    data = graph_def.SerializeToString()
    values = [_run_imported(library, data, ["pop:0", "close"]) for library in (oracle, tf)]
    np.testing.assert_array_equal(values[0][0], [1.5, 2.5])
    np.testing.assert_array_equal(values[1][0], [1.5, 2.5])
    for library in (oracle, tf):
        with pytest.raises(library.errors.InvalidArgumentError, match="is empty"):
            _run_imported(library, data, ["again:0"])


def _run_imported(library: Any, data: bytes, fetches: list[str]) -> Any:
    with library.Graph().as_default():
        graph_def = library.GraphDef()
        graph_def.ParseFromString(data)
        library.import_graph_def(graph_def, name="")
        with library.Session() as session:
            return session.run(fetches)
