"""Tensors that a session keeps between steps, against TensorFlow."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session import handles
from tests.conftest import SessionFactory
from tests.session.both import assert_same

CASES: dict[str, Any] = {}


def case(function: Any) -> Any:
    CASES[function.__name__] = function
    return function


def product(lib: Any) -> Any:
    a = lib.placeholder_with_default(np.float32([1, 2]), [2], name="a")
    return lib.multiply(a, 3.0, name="c")


@case
def kept_over_steps(lib: Any, session: Any) -> Any:
    """Every handle has its value; nodes are where the handle is, and colocated with the data."""
    c = product(lib)
    h = lib.get_session_handle(c)
    first, second = session.run(h), session.run({"h": [h]}, {"a:0": [5.0, 6.0]})["h"][0]
    p, x = lib.get_session_tensor(first.handle, lib.float32)
    values = [session.run(x + 1.0, {p: kept.handle}).tolist() for kept in (first, second)]
    values += [first.eval().tolist(), second.eval().tolist(), first.eval().tolist()]
    q, deleted = lib.delete_session_tensor(first.handle)
    nodes = [str(op.node_def) for op in (h.op, p.op, x.op, q.op, deleted)]
    names = [op.name for op in lib.get_default_graph().get_operations()]
    return [str(first), str(second), values, nodes, names]


@case
def fed_itself(lib: Any, session: Any) -> Any:
    """In the place of what it was made of, and of others; fetched at the same time."""
    c = product(lib)
    kept = session.run(lib.get_session_handle(c), {"a:0": [5.0, 6.0]})
    other = lib.placeholder(lib.float32)
    d = lib.add(c, other)
    return [v.tolist() for v in session.run([d, c, other], {c: kept, other: kept})]


@case
def deleted(lib: Any, session: Any) -> Any:
    h = lib.get_session_handle(product(lib))
    kept, raw = session.run(h), session.run(h).get_raw_handle()
    p, x = lib.get_session_tensor(raw, lib.float32)
    kept.delete()
    before = session.run(x, {p: raw}).tolist()
    q, deletion = lib.delete_session_tensor(raw)
    session.run(deletion, {q: raw})
    texts = []
    for call in (
        kept.eval,
        kept.delete,
        lambda: session.run(x, {p: kept.handle}),
        lambda: session.run(x, {p: raw}),
        lambda: session.run(deletion, {q: raw}),
        lambda: lib.get_session_handle(1.0),
    ):
        try:
            call()
        except Exception as error:
            lines = str(error).splitlines()
            told = [line for line in lines if line.startswith(("The", "Failed", "Pers"))]
            texts.append([type(error).__name__, told])
    return [before, texts]


@case
def counted(lib: Any, session: Any) -> Any:
    """A loop over steps whose state stays in the session."""
    start = session.run(lib.get_session_handle(lib.constant(0)))
    p, x = lib.get_session_tensor(start.handle, lib.int32)
    following = lib.get_session_handle(lib.add(x, 1))
    state = start
    for _ in range(25):
        state = session.run(following, {p: state.handle})
    return state.eval().item()


@case
def piece_by_piece(lib: Any, session: Any) -> Any:
    c = product(lib)
    h = lib.get_session_handle(c)
    run = session.partial_run_setup([h], [c])
    return session.partial_run(run, h, {c: [4.0, 5.0]}).eval().tolist()


@pytest.mark.parametrize("name", CASES)
def test_as_in_tensorflow(name: str) -> None:
    with contextlib.ExitStack() as stack:
        assert_same(CASES[name], lambda graph: stack.enter_context(tf.Session(graph=graph)))


def test_tensors_are_kept_on_their_devices(session_factory: SessionFactory) -> None:
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default() as graph:
        made = []
        for index in range(2):
            with tf.device(f"/cpu:{index}"):
                made.append(tf.get_session_handle(tf.constant([1.0 + index]) * 2.0))
        session = session_factory(graph, config)
        kept = session.run(made)
        assert [k.handle.split("device:")[1] for k in kept] == ["CPU:0", "CPU:1"]
        p, x = tf.get_session_tensor(kept[0].handle, tf.float32)
        y = x * 10.0
        assert [session.run(y, {p: k.handle}).tolist() for k in kept] == [[20.0], [40.0]]
        moved = [op for op in graph.get_operations() if op.type == "GetSessionHandle"][2:]
        assert [op.device for op in moved] == [p.op.device]
        kept[1].delete()
        with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
            session.run(y, {p: kept[1].handle})
        assert session.run(y, {p: kept[0].handle}).tolist() == [20.0]
        other = session_factory(graph, config)
        with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
            other.run(y, {p: kept[0].handle})


def test_a_kept_tensor_is_no_ones_to_write_to() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.placeholder(tf.float32, [3])
        fed = np.float32([1, 2, 3])
        value, kept = session.run([a * 1.0, tf.get_session_handle(a)], {a: fed})
        fed[:] = 0
        value[:] = 0
        kept.eval()[:] = 0
        assert kept.eval().tolist() == [1, 2, 3]


def test_another_type_is_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        kept = session.run(tf.get_session_handle(tf.constant(1.5)))
        a = tf.placeholder(tf.int32)
        with pytest.raises(errors.InvalidArgumentError, match="int32 but float32 is provided"):
            session.run(a, {a: kept})
        p, x = tf.get_session_tensor(kept.handle, tf.int32)
        with pytest.raises(errors.InternalError, match="does not match declared output type int32"):
            session.run(x, {p: kept.handle})


def test_what_no_handle_refers_to_is_forgotten() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        h = tf.get_session_handle(tf.constant(1.5))
        first = session.run(h)
        text = first.handle
        p, x = tf.get_session_tensor(text, tf.float32)
        del first
        gc.collect()
        assert session.run(x, {p: text}) == 1.5
        held = [session.run(h) for _ in range(3)]
        for _ in range(handles.DEAD_HANDLES):
            session.run(h)
        gc.collect()
        session.run(h)
        with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
            session.run(x, {p: text})
        assert [k.eval() for k in held] == [1.5] * 3


def test_handles_of_a_closed_session() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        kept = session.run(tf.get_session_handle(tf.constant(1.5)))
    for call in (kept.eval, kept.delete):
        with pytest.raises(RuntimeError, match="closed Session"):
            call()
