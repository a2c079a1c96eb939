"""Readers and staging areas between steps that run at the same time, and handles mixed up."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.lookup import MutableHashTable
from dataflow.contrib.staging import StagingArea
from tests.conftest import SessionFactory


def test_reads_wait_for_names_in_turn(session_factory: SessionFactory, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("one\ntwo\nthree\n")
    with tf.Graph().as_default() as graph:
        names = tf.FIFOQueue(3, tf.string, [[]])
        reader = tf.TextLineReader()
        line, produced = reader.read(names).value, reader.num_records_produced()
        enqueue = names.enqueue(str(path))
    session, found = session_factory(graph), []
    threads = [
        threading.Thread(target=lambda: found.append(session.run(line)), daemon=True)
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    session.run(enqueue)
    for thread in threads:
        thread.join(20)
    assert sorted(found) == [b"one", b"three", b"two"]
    assert session.run(produced) == 3


def test_who_waits_is_let_go_when_the_session_closes(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        line = tf.TextLineReader().read(tf.FIFOQueue(3, tf.string, [[]])).value
        staged = StagingArea([tf.int32]).get()
        ready = tf.constant(1)
    session, found = session_factory(graph), []

    def run(fetch: Any) -> None:
        with pytest.raises(tf.errors.CancelledError):
            session.run(fetch)
        found.append(1)

    threads = [threading.Thread(target=run, args=(f,), daemon=True) for f in (line, line, staged)]
    for thread in threads:
        thread.start()
        session.run(ready)
    session.close()
    for thread in threads:
        thread.join(20)
    assert len(found) == 3


def test_staged_values_wait_for_the_next_step(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        area = StagingArea([tf.float32], [[2]], capacity=2)
        put, (got,), size = area.put([tf.constant([1.0, 2.0])]), area.get(), area.size()
    session = session_factory(graph)
    session.run(put)
    for _ in range(3):
        assert session.run([got, put])[0].tolist() == [1.0, 2.0]
    assert session.run(size) == 1


def test_handles_of_another_kind_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue, reader = tf.FIFOQueue(1, tf.string, [[]]), tf.IdentityReader()
        table = MutableHashTable(tf.string, tf.int64, 0)
        raw, of = tf.raw_ops, reader.reader_ref
        for made in (
            reader.read(reader.reader_ref),
            reader.read(table.resource_handle),
            raw.ReaderReadV2(reader_handle=queue.queue_ref, queue_handle=queue.queue_ref),
            raw.ReaderSerializeStateV2(reader_handle=queue.queue_ref),
            raw.QueueSizeV2(handle=table.resource_handle),
            raw.QueueDequeueV2(handle=of, component_types=[tf.string]),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match="using the wrong type"):
                session.run(made)
