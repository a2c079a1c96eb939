"""From opening to closing: arguments, defaults, contexts, garbage, forks."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.actors.step.numbers import new_range
from dataflow.proto.config_pb2 import ConfigProto, RunOptions
from dataflow.session.base_session import SessionInterface
from dataflow.session.session import BaseSession, Session
from tests.conftest import SessionFactory
from tests.session.both import assert_same, on_oracle, oracle


def session_class(lib: Any) -> Any:
    return oracle.Session if lib is oracle else Session


def config_class(lib: Any) -> Any:
    return oracle.ConfigProto if lib is oracle else ConfigProto


ARGUMENTS: dict[str, Any] = {
    "graph": lambda lib: session_class(lib)(graph=3),
    "target": lambda lib: session_class(lib)(3),
    "config as target": lambda lib: session_class(lib)(config_class(lib)()),
    "config": lambda lib: session_class(lib)(config=3),
    "config dict": lambda lib: session_class(lib)(config={}),
    "targets": lambda lib: [session_class(lib)(t).sess_str for t in ("", b"", None)],
}


# TensorFlow's destructor trips over a session that was refused.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name: str, session_factory: SessionFactory) -> None:
    assert_same(lambda lib, session: ARGUMENTS[name](lib), session_factory)


def test_unknown_target() -> None:
    def program(lib: Any, session: Any) -> Any:
        return session_class(lib)("foo://nowhere")

    theirs = on_oracle(program)
    with pytest.raises(errors.NotFoundError) as raised:
        Session("foo://nowhere")
    beginning = "No session factory registered for the given session options"
    assert raised.value.message.startswith(beginning)
    assert theirs[4].startswith(beginning)


def test_empty_graph(session_factory: SessionFactory) -> None:
    for fetches in ("x:0", [], None):
        outcome = assert_same(lambda lib, session, f=fetches: session.run(f), session_factory)
        assert outcome[1] == "RuntimeError"


def test_closed(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = lib.constant(1.0)
        x_fetched = session.make_callable(x)
        assert x_fetched() == session.run(x)
        session.close()
        session.close()
        results: list[Any] = []
        for call in (
            lambda: session.run(x),
            lambda: session.run(None),
            lambda: session.partial_run_setup([x]),
            lambda: session.make_callable(x, [x])(1.0),
            x_fetched,
            session.make_callable(x),
            session.list_devices,
        ):
            try:
                results.append(call())
            except Exception as error:
                results.append([type(error).__name__, getattr(error, "message", str(error))])
        with session:
            pass
        return [results, session.graph is x.graph]

    assert_same(program, session_factory)


CONTEXTS: dict[str, Any] = {}


def context(function: Any) -> Any:
    CONTEXTS[function.__name__] = function
    return function


@context
def reentered(lib: Any, session: Any) -> Any:
    x = lib.constant(1.0)
    try:
        with session, session:
            pass
    finally:
        # The outer context has closed it.
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(x)


@context
def entered_after_close(lib: Any, session: Any) -> Any:
    with session:
        x = lib.constant(1.0)
    with session:
        return session.run(x)


@context
def sets_defaults_and_closes(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default() as other:
        with session as entered:
            inside = lib.get_default_session() is session, lib.get_default_graph() is other
            x = lib.constant(2.0)
            value = x.eval()
        outside = lib.get_default_session(), lib.get_default_graph() is other
    return [entered is session, inside, value, outside]


@context
def as_default_leaves_open(lib: Any, session: Any) -> Any:
    x = lib.constant(2.0)
    values = []
    for _ in range(2):
        with session.as_default() as entered:
            values += [x.eval(), entered is session, lib.get_default_session() is session]
    return [values, lib.get_default_session(), session.run(x)]


@context
def as_default_leaves_the_graph(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default() as other, session.as_default():
        return lib.get_default_graph() is other


@context
def nesting_violated(lib: Any, session: Any) -> Any:
    lib.constant(1.0)
    first, second = session.as_default(), session_class(lib)().as_default()
    first.__enter__()
    second.__enter__()
    try:
        first.__exit__(None, None, None)
    except AssertionError as error:
        text = str(error).split(" of ")[0]
    second.__exit__(None, None, None)
    return text


@context
def an_exception_passes(lib: Any, session: Any) -> Any:
    x = lib.constant(1.0)
    with pytest.raises(KeyError, match="mine"), session:
        raise KeyError("mine")
    return session.run(x)


@context
def a_step_error_passes(lib: Any, session: Any) -> Any:
    x = lib.placeholder(lib.float32, name="x")
    with session:
        session.run(lib.identity(x))


@context
def eval_without_session(lib: Any, session: Any) -> Any:
    return lib.constant(1.0).eval()


@context
def run_without_session(lib: Any, session: Any) -> Any:
    return lib.no_op().run()


@context
def eval_in_given_session(lib: Any, session: Any) -> Any:
    x = lib.placeholder(lib.float32, [], name="x")
    op = lib.no_op()
    return [
        lib.identity(x).eval({x: 1.0}, session),
        op.run(session=session),
        op.run({x: 1}, session),
    ]


@context
def eval_in_session_of_other_graph(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default():
        x = lib.constant(1.0)
    return x.eval(session=session)


@context
def run_in_session_of_other_graph(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default():
        op = lib.no_op()
    return op.run(session=session)


@context
def eval_in_default_session_of_other_graph(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default():
        x = lib.constant(1.0)
    with session.as_default():
        return x.eval()


@context
def run_in_default_session_of_other_graph(lib: Any, session: Any) -> Any:
    with lib.Graph().as_default():
        op = lib.no_op()
    with session.as_default():
        return op.run()


@pytest.mark.parametrize("name", CONTEXTS)
def test_context(name: str, session_factory: SessionFactory) -> None:
    assert_same(CONTEXTS[name], session_factory)


def test_default_session_is_a_threads_own(session_factory: SessionFactory) -> None:
    x = tf.constant(1.0)
    seen: list[Any] = []
    with session_factory():
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_session()))
        thread.start()
        thread.join()
        assert x.eval() == 1.0
    assert seen == [None]


def test_close_in_another_thread(session_factory: SessionFactory) -> None:
    x = tf.constant(1.0)
    session = session_factory()
    session.run(x)
    thread = threading.Thread(target=session.close)
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run(x)


def test_config_is_taken_when_opened(session_factory: SessionFactory) -> None:
    config = ConfigProto(device_count={"CPU": 2})
    session = session_factory(config=config)
    config.device_count["CPU"] = 7
    assert session._config.device_count["CPU"] == 2


def test_graph_def(session_factory: SessionFactory) -> None:
    tf.constant(1.0, name="c")
    session = session_factory()
    assert [node.name for node in session.graph_def.node] == ["c"]
    with_shapes = ConfigProto()
    with_shapes.graph_options.infer_shapes = True
    assert "_output_shapes" in session_factory(config=with_shapes).graph_def.node[0].attr


def test_interface() -> None:
    assert issubclass(Session, BaseSession) and issubclass(BaseSession, SessionInterface)
    with pytest.raises(NotImplementedError):
        SessionInterface().run(None)


def test_reset_closes_the_targets_sessions(target: str) -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        session = Session(target)
        session.run(x)
        Session.reset(target, ["a container", b"another"])
        with pytest.raises(errors.OpError):
            session.run(x)
        session.close()
        with Session(target) as fresh:
            assert fresh.run(x) == 1.0


def test_reset_of_an_unknown_target() -> None:
    with pytest.raises(errors.NotFoundError, match="No session factory registered"):
        Session.reset("foo://nowhere")


def test_list_devices(session_factory: SessionFactory) -> None:
    devices = session_factory(config=ConfigProto(device_count={"CPU": 2})).list_devices()
    assert len(devices) >= 2
    assert len({device.name for device in devices}) == len(devices)
    for device in devices:
        assert device.name.startswith("/job:")
        assert f"device:{device.device_type}:" in device.name
        assert device.memory_limit_bytes > 0
        assert repr(device) == (
            f"_DeviceAttributes({device.name}, {device.device_type}, "
            f"{device.memory_limit_bytes}, {device.incarnation})"
        )


def test_options_are_checked(session_factory: SessionFactory) -> None:
    x = tf.constant(1.0)
    session = session_factory()
    assert session.run(x, options=RunOptions(timeout_in_ms=60_000)) == np.float32(1.0)
    with pytest.raises(TypeError, match=r"Argument `options` must be a tf\.RunOptions"):
        session.run(x, options=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Argument `run_metadata` must be a tf\.RunMetadata"):
        session.run(x, run_metadata=RunOptions())  # type: ignore[arg-type]


def test_a_program_that_has_seeded_python_and_numpy_keeps_its_streams() -> None:
    random.seed(3)
    np.random.seed(3)
    before = random.getstate(), np.random.get_state()[1].tolist()
    with tf.Graph().as_default():
        variable = tf.get_variable("v", initializer=tf.random_normal([2]))
        step = tf.train.AdamOptimizer().minimize(tf.reduce_sum(tf.nn.dropout(variable, 0.5)))
        batches = tf.data.Dataset.range(4).shuffle(4).make_one_shot_iterator().get_next()
        for _ in range(2):
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run([step, batches])
                sess.list_devices()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_processes_that_are_seeded_alike_count_their_steps_apart() -> None:
    random.seed(3)
    first = new_range()
    random.seed(3)
    assert new_range() != first
