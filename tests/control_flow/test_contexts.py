"""The contexts of conditionals and loops: what is kept of them, and what they keep from use."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.control_flow.cond_context import CondContext
from dataflow.control_flow.while_context import WhileContext
from dataflow.proto.control_flow_pb2 import CondContextDef, WhileContextDef
from tests.control_flow.both import contexts
from tests.control_flow.programs.body_programs import BODY_PROGRAMS
from tests.control_flow.programs.cond_programs import CASE_PROGRAMS, COND_PROGRAMS, in_a_branch
from tests.control_flow.programs.while_programs import (
    WHILE_PROGRAMS,
    loop_in_a_branch_in_a_loop,
    maximum_iterations,
    powers,
)

PROGRAMS = [*COND_PROGRAMS, *CASE_PROGRAMS, *WHILE_PROGRAMS, *BODY_PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_collections(program: Any) -> None:
    assert contexts(tf, program) == contexts(oracle, program)


@pytest.mark.parametrize(
    "program", [in_a_branch, powers, maximum_iterations, loop_in_a_branch_in_a_loop]
)
@pytest.mark.parametrize("scope", ["", "again"])
def test_restored(program: Any, scope: str) -> None:
    with tf.Graph().as_default() as first:
        program(tf)
        kept = [
            context.to_proto()
            for key in ("cond_context", "while_context")
            for context in first.get_collection(key)
        ]
    with tf.Graph().as_default() as second:
        tf.import_graph_def(first.as_graph_def(), name=scope)
        for message in kept:
            kind = CondContext if isinstance(message, CondContextDef) else WhileContext
            restored = kind.from_proto(message, import_scope=scope or None)
            assert restored.to_proto(export_scope=scope or None) == message
            if isinstance(message, WhileContextDef):
                assert restored.name == f"{scope}/{message.context_name}".lstrip("/")
        frames = {op.get_attr("frame_name") for op in second.get_operations() if "Enter" in op.type}
        made = {op.name: op._get_control_flow_context() for op in first.get_operations()}
        prefix = f"{scope}/" if scope else ""
        for name, context in made.items():
            found = second.get_operation_by_name(prefix + name)._get_control_flow_context()
            if context is not None:
                assert found is not None and type(found) is type(context), name
                assert found.name == prefix + context.name
    assert all(frame.decode().startswith(prefix) for frame in frames)


def test_not_exported_with_another_scope() -> None:
    with tf.Graph().as_default() as graph:
        powers(tf)
        (context,) = graph.get_collection("while_context")
        assert context.to_proto(export_scope="other") is None
        assert context.to_proto(export_scope="while").context_name == "while_context"


def _inside(library: Any) -> tuple[Any, Any]:
    """A conditional and a loop, and their graph."""
    x = library.placeholder("float32", [2], name="x")
    library.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x)
    library.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])
    return library.get_default_graph(), x


def test_what_may_be_fetched_and_fed() -> None:
    found = []
    for library in (oracle, tf):
        with library.Graph().as_default():
            graph, _ = _inside(library)
            found.append(
                [
                    (op.name, graph.is_fetchable(op), [graph.is_feedable(t) for t in op.outputs])
                    for op in graph.get_operations()
                ]
            )
    assert found[0] == found[1]
    assert any(not fetchable for _, fetchable, _ in found[1])


@pytest.mark.parametrize("name", ["cond/mul:0", "cond/pred_id:0", "cond/Switch:1", "while/mul:0"])
def test_fetch_from_inside(name: str) -> None:
    texts = []
    for library in (oracle, tf):
        with library.Graph().as_default():
            _, x = _inside(library)
            with library.Session() as session, pytest.raises(ValueError) as caught:
                session.run(name, {x: [1.0, 2.0]})
            texts.append(str(caught.value))
            assert type(caught.value).__name__ == "InaccessibleTensorError"
    assert texts[0] == texts[1]
    assert "has been marked as not fetchable" in texts[1]


def test_feed_of_a_value_in_a_loop() -> None:
    with tf.Graph().as_default():
        _, x = _inside(tf)
        with tf.Session() as session, pytest.raises(ValueError, match="while/mul:0 may not be fed"):
            session.run(x, {x: [1.0, 2.0], "while/mul:0": [1.0, 2.0]})


def test_current_context() -> None:
    seen: list[Any] = []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder("float32", [])

        def true_fn() -> Any:
            seen.append(graph._get_control_flow_context())
            with tf.control_dependencies(None):
                seen.append(graph._get_control_flow_context())
            with tf.init_scope():
                seen.append(graph._get_control_flow_context())
            seen.append(graph._get_control_flow_context())
            return x * 2.0

        tf.cond(x > 0.0, true_fn, lambda: x)
        assert graph._get_control_flow_context() is None
    assert isinstance(seen[0], CondContext) and seen[0].branch == 1
    assert seen[1] is None and seen[2] is None and seen[3] is seen[0]


def test_context_is_left_when_a_branch_fails() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder("float32", [])
        with pytest.raises(ZeroDivisionError):
            tf.cond(x > 0.0, lambda: 1 // 0, lambda: x)
        with pytest.raises(ZeroDivisionError):
            tf.while_loop(lambda i: i < 3, lambda i: 1 // 0, [0])
        assert graph._get_control_flow_context() is None
        assert not tf.exp(x).op.control_inputs


def test_where_an_operation_is() -> None:
    with tf.Graph().as_default() as graph:
        loop_in_a_branch_in_a_loop(tf)
        op = graph.get_operation_by_name("while/cond/while/mul")
        inner = op._get_control_flow_context()
        assert inner.IsWhileContext() and not inner.IsCondContext()
        branch = inner.outer_context
        assert branch.IsCondContext() and branch.branch == 1
        outer = branch.outer_context
        assert outer.IsWhileContext() and outer.outer_context is None
        assert inner.GetWhileContext() is inner and branch.GetWhileContext() is outer
        assert [str(c) for c in (inner, branch, outer)] == [
            "while/cond/while/while_context",
            "while/cond/cond_text",
            "while/while_context",
        ]
        assert branch.back_prop and inner.parallel_iterations == 10 and not inner.swap_memory
        assert inner.GetControlPivot() is inner.pivot_for_body
        assert branch.GetControlPivot() is branch.pivot
