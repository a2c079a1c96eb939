"""Batches by bucket: TensorFlow 2 has them no longer, so that what they promise is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.training import bucket, bucket_by_sequence_length
from tests.conftest import SessionFactory


def _all(session: Any, fetches: Any) -> list[Any]:
    session.run(tf.local_variables_initializer())
    coordinator, found = tf.train.Coordinator(), []
    threads = tf.train.start_queue_runners(session, coord=coordinator)
    try:
        while not coordinator.should_stop():
            found.append(session.run(fetches))
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coordinator.request_stop()
    coordinator.join(threads)
    return found


def test_sequences_of_similar_lengths(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        number = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        length = number % 7 + 1
        sequence = tf.ones(tf.expand_dims(length, 0), tf.int32) * number
        lengths, made = bucket_by_sequence_length(
            length, {"s": sequence}, 4, [3, 5], dynamic_pad=True, allow_smaller_final_batch=True
        )
        found = _all(session_factory(graph), [lengths, made["s"]])
    seen = []
    for sizes, rows in found:
        assert len(sizes) <= 4 and len({np.searchsorted([3, 5], n, "right") for n in sizes}) == 1
        assert rows.shape == (len(sizes), max(sizes))
        for size, row in zip(sizes, rows, strict=True):
            assert row[0] % 7 + 1 == size
            assert (row[:size] == row[0]).all() and not row[size:].any()
            seen.append(row[0])
    assert sorted(seen) == list(range(40))


def test_each_bucket_has_its_batch_size(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        number = tf.train.range_input_producer(24, num_epochs=1, shuffle=False).dequeue()
        which, made = bucket([number], number % 2, [2, 3], 2, keep_input=number < 18)
        assert made.shape.as_list() == [None]
        found = _all(session_factory(graph), [which, made])
    for side, rows in found:
        assert len(rows) == (2, 3)[side] and set(rows % 2) == {side}
    assert sorted(np.concatenate([rows for _, rows in found]))[:16] == list(range(16))


@pytest.mark.parametrize(
    ("boundaries", "error", "text"),
    [
        (3, TypeError, "must be a list or tuple"),
        ([], ValueError, "must not be empty"),
        ([1, 1], ValueError, "sequential increasing lengths"),
        ([1, 2.5], TypeError, "must be integers"),
    ],
)
def test_boundaries_rise(boundaries: Any, error: type[Exception], text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        bucket_by_sequence_length(tf.constant(1), [tf.constant([1])], 2, boundaries)
