"""Nodes that become one make none wait for what waits for it: on another device, in a queue."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.waiting import awaited_anyway
from dataflow.proto.config_pb2 import ConfigProto
from tests.conftest import SessionFactory

STEPS = 5
"""The first ones run node by node."""
X = np.arange(1, 41, dtype=np.float32)


def _over_another_device(x: Any) -> Any:
    made = x * 2.0 + 1.0
    with tf.device("/cpu:1"):
        there = made * made
    return made + there * 3.0, X * 2 + 1 + 3 * (X * 2 + 1) ** 2


def _there_and_back_twice(x: Any) -> Any:
    made, wanted = x * 0.5, X * np.float32(0.5)
    for _ in range(2):
        with tf.device("/cpu:1"):
            there = tf.square(made) + 1.0
        made, wanted = made + there * 0.25, wanted + (np.square(wanted) + 1) * np.float32(0.25)
    return made, wanted


def _over_shapes(x: Any) -> Any:
    size = tf.shape(x)[0] * 2 + 1
    with tf.device("/cpu:1"):
        there = tf.fill([size], 3.0)
    return x * tf.cast(size + tf.shape(there)[0] * 3, tf.float32), X * (81 + 3 * 81)


def _over_a_queue(x: Any) -> Any:
    queue = tf.FIFOQueue(1, [tf.float32], [[40]])
    made = x * 2.0 + 1.0
    put = queue.enqueue([made])
    found = made + queue.dequeue() * 3.0
    with tf.control_dependencies([put]):
        return tf.identity(found), 4 * (X * 2 + 1)


@pytest.mark.parametrize(
    "program", [_over_another_device, _there_and_back_twice, _over_shapes, _over_a_queue]
)
def test_programs_come_to_an_end(
    session_factory: SessionFactory, program: Callable[[Any], Any]
) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None if program is _over_shapes else 40])
        with tf.device("/cpu:0"):
            found, wanted = program(x)
    config = ConfigProto(device_count={"CPU": 2}, operation_timeout_in_ms=20_000)
    with session_factory(graph, config) as session:
        for _ in range(STEPS):
            np.testing.assert_allclose(session.run(found, {x: X}), wanted, rtol=1e-6)


def test_what_is_fed_later_may_be_made_of_what_was_fetched() -> None:
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, [40]) for _ in range(2))
        made = x * 2.0 + 1.0
        found = made + y * 3.0
    with tf.Session(graph=graph, config=ConfigProto(operation_timeout_in_ms=20_000)) as session:
        for _ in range(STEPS):
            handle = session.partial_run_setup([made, found], [x, y])
            first = session.partial_run(handle, made, {x: X})
            second = session.partial_run(handle, found, {y: first})
            np.testing.assert_array_equal(second, 4 * (X * 2 + 1))


def _reachable(follows: Sequence[Sequence[int]]) -> list[set[int]]:
    """What each node comes after, directly or not, and itself."""
    found: list[set[int]] = []
    for node, before in enumerate(follows):
        found.append({node}.union(*(found[earlier] for earlier in before)))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_nodes_of_equal_bounds_add_no_way_to_an_end(seed: int) -> None:
    drawn = random.Random(seed)
    count = 9
    follows = [
        sorted(drawn.sample(range(node), drawn.randint(0, min(node, 2)))) for node in range(count)
    ]
    blocking = [drawn.random() < 0.3 for _ in range(count)]
    anyway = awaited_anyway(blocking, follows)
    after = _reachable(follows)
    ends = set(range(count)) - {earlier for before in follows for earlier in before}
    ends |= {node for node in range(count) if blocking[node]}

    def awaited(node: int) -> set[int]:
        return {other for other in after[node] - {node} if blocking[other]}

    numbers = {node: place for place, node in enumerate(n for n in range(count) if blocking[n])}
    for node in range(count):
        led_to = [awaited(end) for end in ends if node in after[end]]
        wanted = set.intersection(*led_to)
        assert anyway[node] == sum(1 << numbers[other] for other in wanted)
        assert awaited(node) <= wanted
    for one, other in itertools.combinations(range(count), 2):
        if anyway[one] == anyway[other]:
            for end in (end for end in ends if one in after[end]):
                assert awaited(other) <= awaited(end)
