"""Requests of several steps that are computed as one batch."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import batching
from tests.conftest import SessionFactory

_HOUR = 3600 * 1000 * 1000


def _at_once(session: Any, fetch: Any, feeds: list[dict[Any, Any]]) -> list[Any]:
    """What concurrent steps give, or the errors that they end with."""
    found: list[Any] = [None] * len(feeds)

    def step(number: int) -> None:
        try:
            found[number] = session.run(fetch, feeds[number])
        except tf.errors.OpError as error:
            found[number] = error

    threads = [threading.Thread(target=step, args=(n,), daemon=True) for n in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def test_a_function_runs_once_for_all(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        x, factor = tf.placeholder(tf.float32, [None]), tf.Variable(10.0, use_resource=True)

        @batching.batch_function(1, 6, _HOUR, allowed_batch_sizes=[2, 6])
        def scaled(rows: Any) -> Any:
            return rows * factor, tf.fill(tf.shape(rows), tf.size(rows))

        fetch = scaled(x)
        start = tf.global_variables_initializer()
    session = session_factory(graph)
    session.run(start)
    feeds: list[dict[Any, Any]] = [{x: [1.0]}, {x: [2.0, 3.0]}, {x: [4.0, 5.0, 6.0]}]
    for feed, (rows, sizes) in zip(feeds, _at_once(session, fetch, feeds), strict=True):
        np.testing.assert_array_equal(rows, np.multiply(feed[x], 10))
        assert set(sizes) == {6}


def test_gradients_of_a_batch_come_back_to_its_requests(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])

        @batching.batch_function_v1(2, 3, _HOUR)
        def squared(rows: Any) -> Any:
            return rows * rows

        fetch = tf.gradients(squared(x), x)[0]
    feeds: list[dict[Any, Any]] = [{x: [1.0]}, {x: [2.0, 3.0]}]
    first, second = _at_once(session_factory(graph), fetch, feeds)
    assert first.tolist() == [2] and second.tolist() == [4, 6]


def test_large_requests_are_cut_up() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])

        @batching.batch_function(1, 5, 0, allowed_batch_sizes=[2])
        def sizes(rows: Any) -> Any:
            return rows + 10 * tf.size(rows)

        assert session.run(sizes(x), {x: [1, 2, 3, 4, 5]}).tolist() == [21, 22, 23, 24, 25]


@pytest.mark.parametrize(("rows", "size"), [(1, 2), (2, 2), (3, 6), (6, 6)])
def test_batches_are_filled_up_to_the_next_size(rows: int, size: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])

        @batching.batch_function(1, 6, 0, allowed_batch_sizes=[2, 6])
        def sizes(rows: Any) -> Any:
            return tf.fill(tf.shape(rows), tf.size(rows))

        assert session.run(sizes(x), {x: range(rows)}).tolist() == [size] * rows


def test_errors_come_to_all_requests_of_a_batch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        wrong = (
            ("Dimensions of inputs should match", lambda rows: rows, [2, 1], [2, 3]),
            ("Batched output tensor has 0 dimensions", tf.reduce_sum, [2], [2]),
            ("0th dimension size: 1; batch size: 4", lambda rows: rows[:1], [2], [2]),
        )
        for text, function, *shapes in wrong:
            fetch = batching.batch_function(1, 4, _HOUR)(function)(x)
            for error in _at_once(session, fetch, [{x: np.zeros(shape)} for shape in shapes]):
                assert isinstance(error, tf.errors.OpError) and text in error.message
        fetch = batching.batch_function(1, 4, _HOUR)(tf.identity)(x)
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(fetch, {x: np.zeros(5)})
        assert "Task size 5 is larger than maximum input batch size 4" in raised.value.message


def test_who_is_cancelled_leaves_its_batch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        fetch = batching.batch_function(1, 2, _HOUR, max_enqueued_batches=1)(tf.identity)(x)
        for _ in range(2):
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(fetch, {x: [1]}, tf.RunOptions(timeout_in_ms=50))
        assert session.run(fetch, {x: [2, 3]}).tolist() == [2, 3]


def test_rows_that_never_come() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        none = tf.zeros([0, 2]), tf.zeros([0, 3], tf.int64), tf.constant(7, tf.int64)
        with pytest.raises(tf.errors.DeadlineExceededError) as raised:
            session.run(batching.unbatch(*none, timeout_micros=1000))
        assert "Batched data did not arrive within timeout window." in raised.value.message


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([[7, 0, 1], [8, 1, 2]], "no greater than 1; Got: 2."),
        ([[7, 0]], "Expected 1st dimension size to be 3 ; Got: 2."),
        ([[7, 0, 5]], "Sum of split sizes must not exceed dim0-size of input tensor"),
        ([[7, 1, 0]], "must not end before they begin"),
    ],
)
def test_an_index_that_lies(rows: list[list[int]], text: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        index = tf.placeholder(tf.int64)
        fetch = batching.unbatch(
            tf.zeros([1, 2]), index, tf.constant(7, tf.int64), timeout_micros=1
        )
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(fetch, {index: rows})
        assert text in raised.value.message
