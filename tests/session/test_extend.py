"""A graph that grows between runs, and what happens to changes of what was sent."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import dataflow as tf
from dataflow.session import link as session_link
from tests.conftest import SessionFactory
from tests.session.both import assert_same


def test_new_nodes_run(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.placeholder(lib.float32, [])
        results = []
        for _ in range(5):
            x = lib.identity(x)
            results.append(session.run(x, {x.op.inputs[0]: 1.0}))
            results.append(session.run(x.name, {x.op.inputs[0]: 2.0}))
        return results

    assert_same(program, session_factory)


def test_only_new_nodes_travel(session_factory: SessionFactory) -> None:
    sent: list[list[str]] = []
    x = tf.constant(1.0, name="x")
    session = session_factory()
    runtime = session._link.runtime

    class Recorder:
        """The runtime, with its ears open."""

        def __getattr__(self, name: str) -> Any:
            return getattr(runtime, name)

        def extend_session(self, handle: str, graph_def: Any) -> None:
            sent.append([node.name for node in graph_def.node])
            runtime.extend_session(handle, graph_def)

    session._link.runtime = Recorder()  # type: ignore[assignment]
    session.run(x)
    session.run(x)
    session.run("x:0")
    y = tf.identity(x, name="y")
    z = tf.identity(y, name="z")
    session.run(z)
    session.run([x, y, z])
    # Found by its name after it was sent with others.
    session.run("y:0")
    assert sent == [["x"], ["y", "z"]]


def test_a_session_without_runs_sends_nothing(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    session = session_factory()
    assert session.run([], {x: 1.0}) == []
    assert session.run(x, {x: 1.0}) == 1.0
    assert session._link.sent == 0


def test_operation_ids_and_names_of_two_graphs(session_factory: SessionFactory) -> None:
    graphs = [tf.Graph(), tf.Graph()]
    sessions = []
    for number, graph in enumerate(graphs):
        with graph.as_default():
            tf.constant(number, name="c")
        sessions.append(session_factory(graph=graph))
    assert [session.run("c:0") for session in sessions] == [0, 1]


CHANGES: dict[str, Any] = {
    "attr": lambda x, y: y.op._set_attr("_mine", 3),
    "device": lambda x, y: y.op._set_device("/cpu:0"),
    "control input": lambda x, y: y.op._add_control_inputs([x.op]),
    "input": lambda x, y: y.op._update_input(0, tf.constant(2.0)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_after_a_run_warn(
    name: str, session_factory: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    x = tf.constant(1.0, name="x")
    y = tf.identity(x, name="y")
    session, idle = session_factory(), session_factory()
    CHANGES[name](x, y)
    assert not caplog.records
    assert session.run(y) in (1.0, 2.0)
    CHANGES[name](x, y)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    text = record.getMessage()
    what = {
        "attr": "setting attribute",
        "device": "setting device",
        "control input": "adding control input",
        "input": "updating input tensor",
    }[name]
    assert text.startswith(f"Operation 'y' was changed by {what} after it was run by a session.")
    assert "This mutation will have no effect" in text
    assert "create a new session" in text
    assert idle._link.sent == 0


def test_changes_after_the_session_is_gone_are_silent(
    session_factory: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    y = tf.identity(tf.constant(1.0))
    session_factory().run(y)
    session = session_factory()
    del session
    new = tf.identity(y)
    new.op._set_attr("_mine", 3)
    assert not caplog.records


def test_a_change_has_no_effect(session_factory: SessionFactory) -> None:
    x, other = tf.constant(1.0), tf.constant(5.0)
    y = tf.identity(x)
    session = session_factory()
    assert session.run(y) == 1.0
    y.op._update_input(0, other)
    assert session.run(y) == 1.0
    assert session_factory().run(y) == 5.0


def test_a_graph_that_grows_in_a_loop_warns_once(
    session_factory: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    x = tf.placeholder(tf.float32, [])
    session = session_factory()
    session.run(tf.identity(x), {x: 1.0})
    for number in range(2 * session_link.GROWTH_WARNING):
        y = tf.identity(x)  # the line
        session.run(y, {x: 1.0})
        if number < session_link.GROWTH_WARNING - 1:
            assert not caplog.records
    (record,) = caplog.records
    line = y.op.traceback_line
    assert line.endswith(f"test_extend.py:{line.rpartition(':')[2]}")
    assert f"made at {line}" in record.getMessage()
    assert "build the graph before the loop" in record.getMessage()


def test_different_lines_do_not_warn(
    session_factory: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    x = tf.constant(1.0)
    session = session_factory()
    for number in range(session_link.GROWTH_WARNING):
        code = compile("tf.identity(x)", f"cell {number}", "eval")
        session.run(eval(code, {"tf": tf, "x": x}))  # noqa: S307 - a notebook's cells
    assert not caplog.records


def test_plans_are_shared_and_given_back(session_factory: SessionFactory) -> None:
    asked: list[Any] = []
    given_back: list[Any] = []
    a, b = tf.placeholder(tf.float32, [], name="a"), tf.placeholder(tf.float32, [], name="b")
    y, z = tf.identity(a, name="y"), tf.identity(b, name="z")
    session = session_factory()
    runtime = session._link.runtime

    class Recorder:
        """The runtime, with its ears open."""

        def __getattr__(self, name: str) -> Any:
            return getattr(runtime, name)

        def make_callable(self, handle: str, signature: Any) -> Any:
            asked.append(signature)
            return runtime.make_callable(handle, signature)

        def release_callable(self, handle: str, signature: Any) -> None:
            given_back.append(signature)
            runtime.release_callable(handle, signature)

    session._link.runtime = Recorder()  # type: ignore[assignment]
    feed = {a: 1.0, b: 2.0}
    for fetches in ([y, z], [z, y], (y, z), {"y": y, "z": z}, [[z], "y:0", y]):
        session.run(fetches, feed)
        session.run(fetches, {b: 2.0, a: 1.0})
    assert len(asked) == 1
    assert asked[0].feeds == ("a:0", "b:0") and asked[0].fetches == ("y:0", "z:0")

    # More fetch arguments than are remembered: what is forgotten is given back.
    more = [tf.identity(y) for _ in range(20)]
    for first in more:
        for second in more:
            for third in more[:3]:
                assert session.run([first, second, third], feed) == [1.0, 1.0, 1.0]
    kept = len(asked) - len(given_back)
    assert kept <= session_link.MAX_PLANS + 512 + 1
    assert len(given_back) > 0
    assert session.run([y, z], feed) == [1.0, 2.0]
