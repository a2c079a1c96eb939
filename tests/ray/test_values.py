"""Values that cross between actors, against numpy and against target ""."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session
from tests.ray.held import hold

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


@pytest.fixture(scope="module")
def session(transport: str) -> Iterator[Session]:
    """A session on three devices, with an empty graph."""
    config = hold(tf.ConfigProto(device_count={"CPU": 3}), transport)
    opened = Session("ray", graph=tf.Graph(), config=config)
    yield opened
    opened.close()


VALUES: dict[str, Any] = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3),
    "float64 scalar": np.float64(1.5),
    "float16": np.array([1.0, np.inf, np.nan], np.float16),
    "bfloat16": np.array([1.5, -2.0], tf.bfloat16.as_numpy_dtype),
    "int64": np.array([-(2**62), 2**62]),
    "uint8": np.arange(256, dtype=np.uint8),
    "bool": np.array([True, False]),
    "complex64": np.array([1 + 2j], np.complex64),
    "strings": np.array([[b"a", b""], [b"\xff\x00", b"long" * 1000]], object),
    "string": np.array(b"alone", object),
    "empty": np.zeros((0, 3), np.float32),
    "scalar": np.int32(7),
    "transposed": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "just inline": np.arange(25_000, dtype=np.float32),
    "large": np.arange(1_000_000, dtype=np.float32),
}


def test_devices_look_for_garbage_once_they_have_loaded(session: Session) -> None:
    with session.graph.as_default():
        looks = tf.py_func(gc.isenabled, [], tf.bool)
    assert session.run(looks)


@pytest.mark.parametrize("name", VALUES)
def test_crosses_and_comes_back(session: Session, name: str) -> None:
    value = VALUES[name]
    with session.graph.as_default():
        x = tf.placeholder(tf.as_dtype(np.asarray(value).dtype), np.shape(value))
        with tf.device("/cpu:1"):
            there = tf.identity(x)
        with tf.device("/cpu:2"):
            further = tf.identity(there)
        with tf.device("/cpu:0"):
            back = tf.identity(further)
    for fetched in session.run([back, further], {x: value}):
        expected = value[()] if np.ndim(value) == 0 else value
        assert type(fetched) is type(expected)
        np.testing.assert_array_equal(fetched, expected)
        if isinstance(fetched, np.ndarray):
            assert fetched.flags.writeable and fetched.dtype == expected.dtype


def test_one_large_value_to_many(session: Session) -> None:
    value = np.arange(300_000, dtype=np.float32)
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/cpu:0"):
            source = x * 2.0
        sums = []
        for device in (1, 2, 1, 2):
            with tf.device(f"/cpu:{device}"):
                sums.append(tf.reduce_sum(source + float(device)))
    found = session.run(sums, {x: value})
    expected = [np.sum(value * 2 + np.float32(d), dtype=np.float64) for d in (1, 2, 1, 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_control_edges_cross(session: Session) -> None:
    with session.graph.as_default():
        with tf.device("/cpu:1"):
            counter = tf.Variable(0.0)
        with tf.device("/cpu:0"):
            first = tf.identity(3.0)
        with tf.device("/cpu:1"), tf.control_dependencies([first]):
            added = tf.assign_add(counter, 1.0)
        with tf.device("/cpu:2"), tf.control_dependencies([added]):
            last = tf.identity(5.0)
    session.run(counter.initializer)
    assert [session.run([last, added])[1] for _ in range(3)] == [1.0, 2.0, 3.0]


def test_a_resource_cannot_be_fetched_from_an_actor(session: Session) -> None:
    with session.graph.as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="h")
    with pytest.raises(errors.InvalidArgumentError, match="cannot be sent to another process"):
        session.run(handle)


def test_many_steps_at_once(session: Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = x
        for device in (1, 2, 0, 1):
            with tf.device(f"/cpu:{device}"):
                y = y * 2.0 + 1.0
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for count in range(20):
                size = 1 if count % 2 else 40_000
                value = np.full(size, number * 32 + count, np.float32)
                np.testing.assert_array_equal(session.run(y, {x: value}), value * 16 + 15)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@st.composite
def recipes(draw: st.DrawFn) -> list[tuple[str, list[int], int]]:
    """Nodes of a random graph: op, inputs, device; value 0 is fed."""
    recipe = []
    for number in range(draw(st.integers(1, 20))):
        op = draw(st.sampled_from(["add", "multiply", "negative", "add_n"]))
        count = {"add": 2, "multiply": 2, "negative": 1, "add_n": 3}[op]
        inputs = [draw(st.integers(0, number)) for _ in range(count)]
        recipe.append((op, inputs, draw(st.integers(0, 2))))
    return recipe


@given(recipes())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_graphs(session: Session, recipe: list[tuple[str, list[int], int]]) -> None:
    fed = np.array([0.5, -1.0], np.float32)
    rules: dict[str, Any] = {
        "add": np.add,
        "multiply": np.multiply,
        "negative": np.negative,
        "add_n": lambda *values: (values[0] + values[1]) + values[2],
    }
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        tensors, expected = [x], [fed]
        for op, inputs, device in recipe:
            taken = [tensors[i] for i in inputs]
            with tf.device(f"/cpu:{device}"):
                tensors.append(tf.add_n(taken) if op == "add_n" else getattr(tf, op)(*taken))
            expected.append(rules[op](*(expected[i] for i in inputs)))
    for found, value in zip(session.run(tensors, {x: fed}), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-6)
