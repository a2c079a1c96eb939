"""Programs with queue runners, from files to the end of input, on every target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.conftest import SessionFactory


def _written(folder: Path) -> list[str]:
    """Two files of records, each an Example's worth of bytes."""
    paths = []
    for name in ("first", "second"):
        paths.append(str(folder / name))
        with tf.python_io.TFRecordWriter(paths[-1]) as writer:
            for number in range(25):
                row = np.array([number, len(paths)], np.float32)
                writer.write(row.tobytes())
    return paths


def _batches(session: Any, batch: Any, tf: Any = tf) -> list[Any]:
    """All batches until the input is over, as programs take them."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator, found = tf.train.Coordinator(), []
    threads = tf.train.start_queue_runners(session, coord=coordinator)
    try:
        while not coordinator.should_stop():
            found.append(session.run(batch))
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coordinator.request_stop()
    coordinator.join(threads)
    return found


def test_records_are_read_to_their_end(session_factory: SessionFactory, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        names = tf.train.string_input_producer(_written(tmp_path), num_epochs=2)
        _, record = tf.TFRecordReader().read(names)
        row = tf.reshape(
            tf.py_func(lambda r: np.frombuffer(r, np.float32), [record], tf.float32), [2]
        )
        batch = tf.train.shuffle_batch(
            [row], 8, 60, 20, num_threads=2, allow_smaller_final_batch=True, seed=1
        )
        found = _batches(session_factory(graph), batch)
    assert [len(rows) for rows in found[:-1]] == [8] * 12 and len(found[-1]) == 4
    rows = np.concatenate(found)
    wanted = [[n, f] for n in range(25) for f in (1, 2) for _ in range(2)]
    assert sorted(rows.tolist()) == sorted(wanted)
    assert rows.tolist() != sorted(rows.tolist())


def test_lines_padded_and_joined(session_factory: SessionFactory, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\nthree four\n")
    (tmp_path / "b.txt").write_text("five six seven\n")
    with tf.Graph().as_default() as graph:
        files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
        names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        lines = [tf.TextLineReader().read(names)[1] for _ in range(2)]
        words = [[tf.string_split([line]).values, line] for line in lines]
        batch = tf.train.batch_join(words, 3, dynamic_pad=True)
        (found,) = _batches(session_factory(graph), batch)
    assert found[0].shape == (3, 3)
    texts = {
        line: b" ".join(word for word in row if word) for row, line in zip(*found, strict=True)
    }
    assert texts == {
        b"one": b"one",
        b"three four": b"three four",
        b"five six seven": b"five six seven",
    }


@pytest.mark.parametrize("shuffle", [False, True])
def test_equal_seeds_give_tensorflow_s_batches(shuffle: bool) -> None:
    """With one thread for each queue nothing depends on time."""

    def program(tf: Any) -> Any:
        tf.set_random_seed(7)
        numbers = tf.train.range_input_producer(40, num_epochs=1, shuffle=shuffle, seed=5)
        item = numbers.dequeue()
        return tf.train.batch([item, item * 2], 8)

    def run(library: Any) -> Any:
        with library.Graph().as_default(), library.Session() as session:
            return _batches(session, program(library), library)

    assert np.array_equal(run(tf), run(oracle))


def test_only_what_is_kept_is_batched(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        number = tf.train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        keep = tf.equal(number % 3, 0)
        batch = tf.train.maybe_batch([number], keep, 5)
        found = _batches(session_factory(graph), batch)
    assert np.concatenate(found).tolist() == list(range(0, 30, 3))


def test_sparse_components(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        words = tf.string_split([tf.as_string(number * 111111)], "1")
        rows = tf.sparse_reshape(words, [-1])
        batch = tf.train.batch([{"a": rows}["a"], number], 4, allow_smaller_final_batch=True)
        found = _batches(session_factory(graph), batch)
    assert [len(numbers) for _, numbers in found] == [4, 4, 2]
    texts = {}
    for sparse, numbers in found:
        for place, number in enumerate(numbers):
            texts[number] = sparse.values[sparse.indices[:, 0] == place].tolist()
    assert texts == {n: [w.encode() for w in str(n * 111111).split("1") if w] for n in range(10)}
