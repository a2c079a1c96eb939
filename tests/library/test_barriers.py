"""Barriers and staging areas with keys between steps that run at the same time."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import dataflow as tf
from dataflow.porting.spellings.ops.data_flow import Barrier, MapStagingArea
from tests.conftest import SessionFactory


def test_who_takes_waits_for_all_components(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        held = Barrier((tf.string, tf.int32), ((), ()))
        area = MapStagingArea([tf.int32, tf.float32])
        key = tf.placeholder(tf.int64, [])
        taken, got = held.take_many(2), area.get(key)[1]
        first, second = (
            held.insert_many(0, ["a", "b"], ["x", "y"]),
            held.insert_many(1, ["b", "a"], [2, 1]),
        )
        puts = [
            area.put(key, [tf.cast(key, tf.int32)], [0]),
            area.put(key, [tf.constant(0.5)], [1]),
        ]
    session, found = session_factory(graph), {}

    def take(name: str, fetch: Any, feeds: Any = None) -> None:
        found[name] = session.run(fetch, feeds)

    waits = [
        threading.Thread(target=take, args=("barrier", [taken.keys, *taken.values]), daemon=True),
        *(threading.Thread(target=take, args=(str(n), got, {key: n}), daemon=True) for n in (3, 4)),
    ]
    for thread in waits:
        thread.start()
    session.run(first)
    session.run(second)
    for number in (4, 3):
        for put in puts:
            session.run(put, {key: number})
    for thread in waits:
        thread.join(20)
    rows = zip(*(part.tolist() for part in found["barrier"]), strict=True)
    assert sorted(rows) == [(b"a", b"x", 1), (b"b", b"y", 2)]
    assert found["3"] == [3, 0.5] and found["4"] == [4, 0.5]


def test_who_waits_is_let_go() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        held = Barrier(tf.int32, ((),))
        area = MapStagingArea([tf.int32], capacity=1, memory_limit=8)
        put = area.put(
            tf.placeholder_with_default(tf.constant(1, tf.int64), []), [tf.constant(1)], [0]
        )
        session.run(put)
        soon = tf.RunOptions(timeout_in_ms=50)
        other = area.put(tf.constant(2, tf.int64), [tf.constant(1)], [0])
        for fetch in (held.take_many(1).keys, area.get(tf.constant(7, tf.int64))[1], other):
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(fetch, options=soon)
        assert session.run([area.size(), area.incomplete_size()]) == [1, 0]
        found: list[str] = []

        def take() -> None:
            try:
                session.run(held.take_many(2, allow_small_batch=True).keys)
            except tf.errors.OutOfRangeError as error:
                found.append(error.message)

        waits = threading.Thread(target=take, daemon=True)
        waits.start()
        session.run(held.close())
        waits.join(20)
        assert len(found) == 1 and "is closed and has insufficient elements" in found[0]


def test_what_cannot_be_is_refused() -> None:
    raw = tf.raw_ops
    with tf.Graph().as_default(), tf.Session() as session:
        held = Barrier(tf.int32, ((),))
        count, keys, values = (
            tf.placeholder(tf.int32),
            tf.placeholder(tf.string),
            tf.placeholder(tf.int32),
        )
        insert, key = held.insert_many(0, keys, values), tf.constant(1, tf.int64)
        types = {"dtypes": [tf.int32, tf.float32], "shared_name": "area"}
        stage = raw.MapStage(key=key, indices=[0, 1], values=[1, 2.0], **types)
        session.run(stage)
        for fetch, feeds, text in (
            (insert, {keys: ["a", "b"], values: [1]}, "2 keys, and values for 1"),
            (held.take_many(count).keys, {count: -1}, "must not be negative"),
            (held.take_many(1, timeout=9).keys, {}, "Timeout not supported"),
            (raw.BarrierReadySize(handle=raw.FIFOQueue(component_types=[tf.int32])), {}, "wrong"),
            (raw.MapPeek(key=key, indices=[0], **types)[0], {}, "1 indices vs. 2 outputs"),
            (raw.MapPeek(key=key, indices=[0, 2], **types)[0], {}, "'2' for key '1' was out of"),
            (
                raw.MapPeek(key=key, indices=[0, 1], dtypes=[tf.int32] * 2, shared_name="area")[0],
                {},
                "Output 1 of type float does not match declared output type int32",
            ),
            (raw.MapStage(key=key, indices=[0, 1], values=[1], **types), {}, "2 indices, and 1"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError) as refused:
                session.run(fetch, feeds)
            assert text in refused.value.message
