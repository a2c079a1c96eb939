"""Loops in a session: what is called how often, what steps share, what is refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.control_flow.both import first_line


def test_a_variable_that_changes_its_type_is_refused_when_it_runs() -> None:
    texts = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            loop = library.while_loop(lambda i: i < 3, lambda i: 2.5, [0])
            with pytest.raises(library.errors.InvalidArgumentError) as caught:
                session.run(loop)
            texts.append(first_line(caught.value))
    assert texts[1] == texts[0]
    assert "incompatible with expected int32" in texts[1]


def test_both_are_called_once() -> None:
    calls = []
    with tf.Graph().as_default(), tf.Session() as session:
        loop = tf.while_loop(
            lambda i: calls.append("cond") or i < 30, lambda i: calls.append("body") or i + 1, [0]
        )
        assert session.run(loop) == 30
    assert calls == ["cond", "body"]


def test_operations_added_between_steps() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        first = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]
        assert session.run(first, {x: 2.0}) == 16.0
        second = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + first), [0, x])[1]
        assert session.run(second, {x: 2.0}) == 34.0
        assert session.run([first, second], {x: 1.0}) == [1.0, 3.0]


def test_threads_build_loops_in_one_graph() -> None:
    results: list[Any] = []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])

        def build(number: int) -> None:
            with graph.as_default():
                body = lambda i, a: (i + 1, a + x * float(number))  # noqa: E731
                loop = tf.while_loop(lambda i, a: i < 10, body, [0, x])
                results.append((number, tf.cond(x > 0.0, lambda: loop[1], lambda: x)))

        threads = [threading.Thread(target=build, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 8
        with tf.Session() as session:
            for number, tensor in results:
                assert session.run(tensor, {x: 1.0}) == 1.0 + 10.0 * number
                assert session.run(tensor, {x: -1.0}) == -1.0


def shapes_by_outer_sizes(tf: Any) -> list[Any]:
    """Static shapes that tensors have in a loop by sizes computed before it."""
    found: list[Any] = []

    def unknown() -> Any:
        return tf.zeros([60])[: tf.random.uniform([], 0, 9, tf.int32)]

    def inner(j: Any) -> Any:
        found.append(tf.fill([local], 1.0).shape)
        found.append(tf.fill([nested], 1.0).shape)
        found.append(tf.fill([fed], 1.0).shape)
        return j + 1

    def body(i: Any) -> Any:
        nonlocal local
        found.append(tf.reshape(unknown(), [5, count]).shape)
        found.append(tf.reshape(unknown(), tf.concat([sizes, [1]], 0)).shape)
        found.append(tf.reshape(unknown(), [fed, count]).shape)
        found.append(tf.range(count).shape)
        found.append(tf.fill(tf.cast(more, tf.int64), 1.0).shape)
        found.append(tf.fill(more[:1], 1.0).shape)
        found.append(tf.fill([other + 1], 1.0).shape)
        found.append(tf.fill([tf.identity(other)], 1.0).shape)
        found.append(tf.fill(tf.identity(third), 1.0).shape)
        found.append(tf.get_static_value(tf.identity(count)))
        local = tf.constant(3)
        tf.while_loop(lambda j: j < 2, inner, [0])
        return i + 1

    with tf.Graph().as_default():
        count = tf.reduce_prod(tf.constant([1, 3]))
        sizes = tf.constant([3, 2])
        more, other = tf.constant([4, 2]), tf.constant(4)
        third = tf.constant([4, 2])
        fed = tf.placeholder(tf.int32, [])
        local, nested = None, tf.constant(3)
        tf.while_loop(lambda i: i < 2, body, [0])
    return [each if each is None else each.as_list() for each in found]


def test_shapes_in_loops_by_sizes_from_outside() -> None:
    shapes = shapes_by_outer_sizes(tf)
    assert shapes == shapes_by_outer_sizes(oracle)
    assert [5, 3] in shapes and [3, 2, 1] in shapes and [None, 3] in shapes
