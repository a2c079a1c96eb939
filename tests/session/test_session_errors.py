"""Errors of a step as the program gets them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session.errors import with_graph_details
from tests.conftest import SessionFactory
from tests.session.both import assert_same

HERE = re.escape(__file__)


def quotient(lib: Any) -> tuple[Any, Any]:
    x = lib.placeholder(lib.int32, [], name="x")
    return x, lib.raw_ops.FloorDiv(x=lib.constant(1, name="one"), y=x, name="quotient")


def test_like_tensorflow(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y = quotient(lib)
        return session.run(y, {x: 0})

    outcome = assert_same(program, session_factory)
    assert outcome[:4] == ("error", "InvalidArgumentError", errors.INVALID_ARGUMENT, "quotient")


def test_says_where_and_what(session_factory: SessionFactory) -> None:
    x, y = quotient(tf)
    with pytest.raises(errors.InvalidArgumentError) as raised:
        session_factory().run(y, {x: 0})
    error = raised.value
    assert error.op is y.op
    assert error.node_def == y.op.node_def
    assert error.message.startswith("Integer division by zero\n\t [[node quotient (defined at ")
    line, others = re.search(
        rf"\[\[node quotient \(defined at {HERE}:(\d+)\) \]\].*"
        rf"connected to node quotient:\n(.*)",
        error.message,
        re.DOTALL,
    ).groups()  # type: ignore[union-attr]
    assert int(line) == y.op.traceback[-1].lineno
    # The constant was made on the line of the division itself, so only x is another.
    assert others == f" x (defined at {x.op.traceback_line})"
    assert "Errors may have originated from an input operation." in error.message
    assert error.message.count("defined at") == 2
    assert str(error).startswith(error.message)
    assert "Original stack trace for 'quotient':" in str(error)
    # The kernel's own exception would only say it again.
    assert error.__cause__ is None and error.__suppress_context__


def test_of_a_value_that_is_handed_out(session_factory: SessionFactory) -> None:
    """The node that hands it out is none of the program's."""
    variable = tf.get_variable("scope/v_0", [2])
    with pytest.raises(errors.FailedPreconditionError) as raised:
        session_factory().run(variable)
    assert raised.value.op is None
    assert f"(defined at {variable.op.traceback_line})" in raised.value.message


@pytest.mark.parametrize("way", ["run", "callable", "options", "no feeds", "cached"])
def test_on_every_path(way: str, session_factory: SessionFactory) -> None:
    x, y = quotient(tf)
    session = session_factory()
    if way == "run":
        call: Any = lambda: session.run(y, {x: 0})  # noqa: E731
    elif way == "cached":
        assert session.run(y, {x: 1}) == 1
        call = lambda: session.run(y, {x: 0})  # noqa: E731
    elif way == "callable":
        prepared = session.make_callable(y, [x])
        assert prepared(1) == 1
        call = lambda: prepared(0)  # noqa: E731
    elif way == "options":
        from dataflow.proto.config_pb2 import CallableOptions

        made = session._make_callable_from_options(CallableOptions(feed=["x:0"], fetch=[y.name]))
        import numpy as np

        call = lambda: made(np.int32(0))  # noqa: E731
    else:
        bad = tf.raw_ops.FloorDiv(x=1, y=tf.identity(tf.constant(0)), name="quotient_2")
        y = bad
        call = session.make_callable(bad)
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero") as raised:
            call()
        assert raised.value.op is y.op


def test_the_next_run_works(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, y = quotient(lib)
        results = []
        for value in (1, 0, 1, 0, 1):
            try:
                results.append(session.run(y, {x: value}))
            except lib.errors.InvalidArgumentError as error:
                results.append(error.op.name)
        return results

    assert_same(program, session_factory)


def test_pickles_without_its_graph(session_factory: SessionFactory) -> None:
    x, y = quotient(tf)
    with pytest.raises(errors.InvalidArgumentError) as raised:
        session_factory().run(y, {x: 0})
    copy = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - what the test is about
    assert type(copy) is errors.InvalidArgumentError
    assert copy.message == raised.value.message
    assert copy.op is None and copy.node_def.name == "quotient"


def test_identities_between_are_passed_over(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.int32, [], name="x")
    hidden = tf.identity(tf.identity(x, name="first"), name="second")
    y = tf.raw_ops.FloorDiv(x=hidden, y=hidden, name="quotient")
    with pytest.raises(errors.InvalidArgumentError) as raised:
        session_factory().run(y, {x: 0})
    assert f"\n x (defined at {x.op.traceback_line})" in raised.value.message


# Messages that no kernel of the moment gives, put together by hand.


def made(name: str) -> tuple[tf.Graph, Any]:
    graph = tf.Graph()
    with graph.as_default():
        return graph, tf.constant(1.0, name=name).op


def test_node_the_runtime_made() -> None:
    graph, _ = made("x")
    error = errors.ErrorReport(
        errors.INTERNAL, "lost", node_name="_recv_x_0", op_type="_Recv", device="/cpu:0"
    ).to_exception()
    detailed = with_graph_details(error, graph)
    assert detailed.op is None
    assert detailed.node_def is not None and detailed.node_def.op == "_Recv"
    assert detailed.message == error.message
    assert type(detailed) is errors.InternalError


def test_several_nodes() -> None:
    graph, op = made("a/b-c.d")
    text = "first {{node missing}} then [[{{node a/b-c.d}}]] and {{node a/b-c.d}}"
    detailed = with_graph_details(errors.AbortedError(None, None, text), graph)
    assert detailed.op is op
    place = f"node a/b-c.d (defined at {op.traceback_line}) "
    assert detailed.message == f"first {{{{node missing}}}} then [[{place}]] and {place}"


def test_code_without_class() -> None:
    graph, op = made("x")
    error = errors.OpError(None, None, "odd [[{{node x}}]]", 99, {"a": 1})
    detailed = with_graph_details(error, graph)
    assert type(detailed) is errors.OpError
    assert (detailed.error_code, detailed.op) == (99, op)
    assert detailed.experimental_payloads == {"a": 1}


def test_the_line_is_said_once() -> None:
    graph, op = made("x")
    error = errors.ErrorReport(
        errors.UNKNOWN, "bad", node_name="x", created_at=op.traceback_line
    ).to_exception()
    assert with_graph_details(error, graph).message.count(op.traceback_line) == 1
