"""What is left when a session is over: nothing."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
import tracemalloc
import weakref

import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.conftest import SessionFactory
from tests.ray.actors import eventually


def test_forgotten_session_is_closed(target: str) -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        session = Session(target)
        session.run(x)
        link, gone = session._link, weakref.ref(session)
        gc.disable()
        try:
            del session
            # Without the collector: nothing a session holds leads back to it.
            assert gone() is None
        finally:
            gc.enable()
        assert link.closed
        with pytest.raises(errors.CancelledError):
            link.runtime.list_devices(link.handle)


def test_a_callable_keeps_its_session(target: str) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = tf.identity(x)
        fed = Session(target).make_callable(y, [x])
        fetched = Session(target).make_callable(tf.constant(5.0))
        gc.collect()
        assert fed(2.0) == 2.0
        assert fetched() == 5.0


def test_graph_is_let_go_with_its_last_user(target: str) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = tf.identity(x)
    sessions = [Session(target, graph=graph) for _ in range(2)]
    for session in sessions:
        assert session.run(y, {x: 1.0}) == 1.0
    gone = weakref.ref(graph)
    del graph, x, y, session
    gc.collect()
    assert gone() is not None
    sessions.pop().close()
    gc.collect()
    assert gone() is not None
    sessions.pop().close()
    gc.collect()
    assert eventually(lambda: gone() is None)


def test_a_graph_serves_many_sessions(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.identity(x)
    sessions = [session_factory() for _ in range(3)]
    for number, session in enumerate(sessions):
        assert session.run(y, {x: number}) == number
    sessions[0].close()
    z = tf.identity(y)
    assert [session.run(z, {x: 4.0}) for session in sessions[1:]] == [4.0, 4.0]


def resources() -> dict[str, int]:
    """What this process holds; `peak` is the most memory it ever held."""
    gc.collect()
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "bytes": tracemalloc.get_traced_memory()[0],
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
        "threads": threading.active_count(),
        "files": len(os.listdir("/dev/fd")),
        "objects": sum(isinstance(o, (Session, tf.Graph)) for o in gc.get_objects()),
    }


def test_many_sessions_leave_nothing(target: str) -> None:
    # Opening one on Ray takes a hundred times as long.
    count = 200 if target else 1000
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.identity(x)

        def cycle() -> None:
            with Session(target) as session:
                assert session.run(y, {x: [1.0, 2.0]})[1] == 2.0
                assert session.make_callable([y], [x])([3.0])[0] == 3.0

        tracemalloc.start()
        try:
            for _ in range(count // 10):
                cycle()
            before = resources()
            for _ in range(count):
                cycle()
            # What Python allocates is counted exactly; the whole process has a life of its own.
            more = {"bytes": 100_000, "peak": 32 * 2**20}
            bounds = {what: number + more.get(what, 0) for what, number in before.items()}
            # The last session's threads may be on their way out.
            assert eventually(lambda: all(n <= bounds[what] for what, n in resources().items()))
        finally:
            tracemalloc.stop()


FORK = """
import os, sys
import dataflow as tf
from dataflow.session.session import Session
x = tf.constant(1.0)
session = Session("")
call = session.make_callable(x)
session.run(x), call()
child = os.fork()
if child == 0:
    texts = []
    for run in (lambda: session.run(x), call, session.list_devices):
        try:
            run()
        except RuntimeError as error:
            texts.append(str(error))
    session.close()
    with Session("") as fresh:
        texts.append(str(fresh.run(x)))
    print("\\n".join(texts), flush=True)
    del session, call
    os._exit(0)
os.waitpid(child, 0)
print("parent", session.run(x), call())
"""


def test_a_session_inherited_through_fork_refuses() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=False
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 5, done.stderr
    for line in lines[:3]:
        assert "inherited by process" in line and "Open a new Session" in line
    assert lines[3:] == ["1.0", "parent 1.0 1.0"]
