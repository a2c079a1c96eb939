"""Collectives between the devices of a session, against TensorFlow's."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import errors
from dataflow.porting.modules import TensorflowModule
from tests.conftest import SessionFactory
from tests.oracle import open_session

PATH = "tensorflow.python.ops.collective_ops"
DEVICES = 3
Program = Callable[[Any, Any], list[Any]]
"""`f(library, collectives)` gives what is fetched in one step."""


def collectives_of(library: Any) -> Any:
    return TensorflowModule(PATH) if library is tf else importlib.import_module(PATH)


def on_each(library: Any, make: Callable[[int], Any], devices: int = DEVICES) -> list[Any]:
    """What a function of each device's number gives there."""
    made = []
    for index in range(devices):
        with library.device(f"/device:CPU:{index}"):
            made.append(make(index))
    return made


def values(index: int, dtype: Any = np.float32) -> Any:
    return np.array([[3, -7], [5 + index, 2 * index - 4]], dtype)


def reduces(dtype: Any, merge: str, final: str) -> Program:
    def program(library: Any, c: Any) -> list[Any]:
        return on_each(
            library,
            lambda i: c.all_reduce(library.constant(values(i, dtype)), 3, 1, 1, merge, final),
        )

    return program


def gathers(library: Any, c: Any) -> list[Any]:
    return on_each(library, lambda i: c.all_gather(library.constant(values(i)), 3, 1, 1))


def broadcasts(library: Any, c: Any) -> list[Any]:
    def member(index: int) -> Any:
        if index == 1:
            given = library.constant(values(index))
            return c.broadcast_send(given, [2, 2], library.float32, 3, 1, 1)
        return c.broadcast_recv([2, 2], library.float32, 3, 1, 1)

    return on_each(library, member)


def follows(library: Any, c: Any) -> list[Any]:
    """One collective of what another gave; two groups; others use what members have."""

    def member(index: int) -> Any:
        first = c.all_reduce(library.constant([1.0 + index]), 3, 1, 1, "Add", "Id", [0], "ring")
        with library.control_dependencies([first]):
            scaled = first * (index + 1.0)
        if index == 2:
            return c.all_reduce(scaled, 3, 1, 2, "Add", "Div") + 0.5
        pair = c.all_gather(scaled, 2, 2, 1)
        with library.control_dependencies([pair]):
            return c.all_reduce(scaled, 3, 1, 2, "Add", "Div") + library.reduce_sum(pair)

    return on_each(library, member)


PROGRAMS: dict[str, Program] = {
    **{
        f"{merge} {final} of {np.dtype(dtype).name}": reduces(dtype, merge, final)
        for dtype, merge, final in (
            (np.float32, "Add", "Id"),
            (np.float32, "Mul", "Div"),
            (np.float64, "Max", "Id"),
            (np.float16, "Add", "Div"),
            (np.int32, "Add", "Div"),
            (np.int64, "Mul", "Div"),
            (np.int64, "Min", "Id"),
        )
    },
    "rows": gathers,
    "one for all": broadcasts,
    "one after the other": follows,
}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[Any]]:
    """What TensorFlow gives, and what it knows of shapes before."""
    found = {}
    for number, (name, program) in enumerate(PROGRAMS.items()):
        with oracle.Graph().as_default() as graph:
            session = open_session(oracle, graph, device_count={"CPU": DEVICES})
        with graph.as_default(), session:
            made = program(oracle, collectives_of(oracle))
            options = oracle.RunOptions()
            options.experimental.collective_graph_key = number + 1
            shapes = [each.shape.as_list() for each in made]
            found[name] = [*shapes, *session.run(made, options=options)]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_members_have_the_same(
    name: str, session_factory: SessionFactory, expected: dict[str, list[Any]]
) -> None:
    with tf.Graph().as_default() as graph:
        made = PROGRAMS[name](tf, collectives_of(tf))
        session = session_factory(graph, tf.ConfigProto(device_count={"CPU": DEVICES}))
        options = tf.RunOptions()
        options.experimental.collective_graph_key = 1
        found = [*(each.shape.as_list() for each in made), *session.run(made, options=options)]
    for one, other in zip(found, expected[name], strict=True):
        assert isinstance(one, list) or one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-3 if "16" in name else 1e-6)


def test_variables_of_devices_are_trained_together(session_factory: SessionFactory) -> None:
    """Members in a loop, with targets and control inputs, step after step."""
    c = collectives_of(tf)
    with tf.Graph().as_default() as graph:

        def replica(index: int) -> Any:
            with tf.variable_scope(f"replica_{index}"):
                return tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)

        variables = on_each(tf, replica, 2)

        def body(i: Any, *weights: Any) -> Any:
            def step(index: int) -> Any:
                slope = weights[index] * (index + 1.0)
                return weights[index] - 0.1 * c.all_reduce(slope, 2, 7, 1, "Add", "Div")

            return [i + 1, *on_each(tf, step, 2)]

        ends = tf.while_loop(lambda i, *_: i < 3, body, [0, *variables])[1:]
        updates = on_each(tf, lambda i: variables[i].assign(ends[i]).op, 2)
        session = session_factory(graph, tf.ConfigProto(device_count={"CPU": 2}))
        session.run(tf.global_variables_initializer())
        for turn in range(1, 3):
            session.run(updates)
            for value in session.run(variables):
                expected = np.array([1.0, 2.0]) * 0.85 ** (3 * turn)
                np.testing.assert_allclose(value, expected, rtol=1e-5)


SHAPES_DIFFER = "Shape mismatch in the collective instance 1. Op at device "


def failing(library: Any, c: Any) -> dict[str, Any]:
    constant, float32 = library.constant, library.float32

    def fails_on(index: int) -> Any:
        checks = [library.Assert(False, ["bad"])] if index else []
        with library.control_dependencies(checks):
            return c.all_reduce(library.identity([1.0]), 2, 3, 1, "Add", "Id")

    def sent(index: int) -> Any:
        if index:
            return c.broadcast_recv([3], float32, 2, 4, 1)
        return c.broadcast_send(constant([1.0, 2.0]), [2], float32, 2, 4, 1)

    shapes = on_each(
        library, lambda i: c.all_reduce(constant([1.0] * (i + 2)), 2, 1, 1, "Add", "Id"), 2
    )
    rows = on_each(library, lambda i: c.all_gather(constant([1.0] * (i + 2)), 2, 2, 1), 2)
    return {
        SHAPES_DIFFER: shapes,
        "Shape mismatch in the collective instance 1": rows,
        "assertion failed: [bad]": on_each(library, fails_on, 2),
        "expected shape [3] but another member in the group expected shape [2]": on_each(
            library, sent, 2
        ),
    }


def test_what_fails_fails_for_all(session_factory: SessionFactory) -> None:
    c = collectives_of(tf)
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default() as graph:
        cases = failing(tf, c)
        sizes = on_each(tf, lambda i: c.all_reduce(tf.constant([1.0]), 2 + i, 5, 1, "Add", "Id"), 2)
        kinds = on_each(
            tf, lambda i: c.all_reduce(tf.constant(1 + i), 2, 6, 1, "Add", ["Id", "Div"][i]), 2
        )
        session = session_factory(graph, config)
        for text, fetches in cases.items():
            with pytest.raises(errors.InvalidArgumentError) as info:
                session.run(fetches)
            assert text in info.value.message
        # One of two members alone: TensorFlow waits for the other for ever.
        with pytest.raises(errors.InvalidArgumentError) as info:
            session.run(cases[SHAPES_DIFFER][0])
        assert "not all of them run in this step" in info.value.message
        for fetches, text in (
            (sizes, "has group_size 3 and group_key 5 but that group has size 2"),
            (kinds, "Collective instance 1 expected type CollectiveReduce"),
        ):
            with pytest.raises(errors.InternalError) as internal:
                session.run(fetches)
            assert text in internal.value.message


def test_what_is_refused_at_once() -> None:
    c = collectives_of(tf)
    with tf.Graph().as_default():
        x, y = tf.constant([1.0]), tf.constant([1.0, 2.0])
        with tf.device("/cpu:0"):
            placed = tf.identity(y)
        refusals: dict[str, Callable[[], Any]] = {
            "Device assignment required": lambda: c.all_reduce(x, 2, 1, 1, "Add", "Id"),
            "Device assignment": lambda: c.all_gather(x, 2, 1, 1),
            "to all_reduce must be at least 2": lambda: c.all_reduce(placed, 1, 1, 1, "Add", "Id"),
            "to all_gather must": lambda: c.all_gather(placed, 1, 1, 1),
            "to broadcast_send must": lambda: c.broadcast_recv([1], tf.float32, 1, 1, 1),
            "not equal to delcared": lambda: c.broadcast_send(placed, [1], tf.float32, 2, 1, 1),
            "not equal to declared": lambda: c.broadcast_send(placed, [2], tf.int32, 2, 1, 1),
        }
        for text, call in refusals.items():
            with pytest.raises(ValueError, match=text):
                call()
        reduced = c.all_reduce(placed, 2, 1, 1, "Add", "Id")
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(reduced, y)


def test_all_wait_for_what_one_waits_for() -> None:
    c, seen = collectives_of(tf), []

    def late() -> None:
        time.sleep(0.05)
        seen.append(time.time())

    with tf.Graph().as_default():

        def member(index: int) -> Any:
            given = tf.identity([1.0 + index])
            with tf.control_dependencies([tf.py_func(late, [], [])] if index else []):
                return c.all_reduce(given, 2, 1, 1, "Add", "Id")

        first, _ = both = on_each(tf, member, 2)
        with tf.control_dependencies([first]), tf.device("/device:CPU:0"):
            after = tf.timestamp()
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
            done = session.run([*both, after])[-1]
    assert len(seen) == 1 and done >= seen[0]


def test_members_in_loops_of_their_own_do_not_meet() -> None:
    c = collectives_of(tf)
    with tf.Graph().as_default():

        def member(index: int) -> Any:
            def body(x: Any) -> Any:
                with tf.device(f"/device:CPU:{index}"):
                    return c.all_reduce(x * 2.0, 2, 1, 1, "Add", "Id")

            return tf.while_loop(lambda x: tf.reduce_sum(x) < 9.0, body, [tf.constant([1.0])])

        ends = on_each(tf, member, 2)
        config = tf.ConfigProto(device_count={"CPU": 2})
        with (
            tf.Session(config=config) as session,
            pytest.raises(errors.InvalidArgumentError) as info,
        ):
            session.run(ends)
    assert "not all of them run in this step, in the same loop" in info.value.message


def test_groups_that_are_none() -> None:
    """Two that send, and two on one device."""
    c = collectives_of(tf)
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = [1.0]
        cases = [
            on_each(tf, lambda i: c.broadcast_send(tf.identity(x), [1], tf.float32, 2, 1, 1), 2),
            on_each(tf, lambda i: c.broadcast_recv([1], tf.float32, 2, 2, 1), 2),
            [
                *on_each(tf, lambda i: c.all_reduce(tf.identity(x), 2, 3, 1, "Add", "Id"), 1),
                *on_each(tf, lambda i: c.all_reduce(tf.identity(x), 2, 3, 1, "Add", "Id"), 1),
            ],
        ]
        for fetches in cases:
            with pytest.raises(errors.InvalidArgumentError) as info:
                session.run(fetches)
            assert "has 2 members, each on a device of its own" in info.value.message
