"""Input of tf.contrib.learn: files by queues, tables, generators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dataflow as tf
from dataflow.contrib import input_pipeline, learn


@pytest.fixture
def files(tmp_path: Path) -> str:
    """Two files of five examples each, whose "x" counts and whose "words" are as many."""
    for file in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"{file}.tfrecords")) as writer:
            for number in range(5 * file, 5 * file + 5):
                example = tf.train.Example()
                example.features.feature["x"].int64_list.value.append(number)
                example.features.feature["words"].bytes_list.value.extend([b"w"] * (number % 3))
                writer.write(example.SerializeToString())
    return str(tmp_path / "*.tfrecords")


def batches(fetches: Any) -> list[Any]:
    """What a graph's queues give until they end."""
    found = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop():
            found.append(session.run(fetches))
    return found


FEATURES = {
    "x": tf.FixedLenFeature([], tf.int64),
    "words": tf.VarLenFeature(tf.string),
}


@pytest.mark.parametrize("randomize", [False, True])
def test_features_of_records(files: str, randomize: bool) -> None:
    with tf.Graph().as_default():
        made = learn.read_batch_features(
            files,
            4,
            FEATURES,
            tf.TFRecordReader,
            randomize,
            num_epochs=1,
            queue_capacity=30,
            num_enqueue_threads=1,
        )
        assert made["x"].shape.as_list() == [None]
        found = batches(made)
    numbers = np.concatenate([each["x"] for each in found])
    assert sorted(numbers) == list(range(10))
    assert (list(numbers) == list(range(10))) == (not randomize)
    words = sum(len(each["words"].values) for each in found)
    assert words == sum(number % 3 for number in range(10))


def test_examples_with_keys_and_parsed_ones(files: str) -> None:
    def parse(examples: Any) -> Any:
        return tf.parse_single_example(examples, {"x": FEATURES["x"]})

    with tf.Graph().as_default():
        keys, found = learn.read_keyed_batch_examples(
            [files], 2, tf.TFRecordReader, False, 1, 30, parse_fn=parse
        )
        assert set(found) == {"x"}
        first = batches([keys, found["x"]])[0]
    assert first[0][0].endswith(b"0.tfrecords:0")
    assert list(first[1]) == [0, 1]


def test_a_shared_queue(files: str) -> None:
    with tf.Graph().as_default():
        _, found = learn.read_keyed_batch_features_shared_queue(
            files, 5, FEATURES, tf.TFRecordReader, False, num_epochs=1, queue_capacity=30
        )
        assert {each.op.name for each in tf.global_variables()} == {
            f"obtain_next/obtain_next_{name}"
            for name in ("counter", "expanded_list", "filename_counter")
        }
        numbers = np.concatenate(batches(found["x"]))
    assert sorted(numbers) == list(range(10))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"file_pattern": []}, "No files given to dequeue_examples"),
        ({"file_pattern": "/nowhere/*"}, "No files match /nowhere"),
        ({"queue_capacity": 0}, "Invalid queue_capacity 0"),
        ({"batch_size": 100, "queue_capacity": 100}, "Invalid batch_size 100, with queue_cap"),
        ({"read_batch_size": 0}, "Invalid read_batch_size 0"),
        ({"num_threads": 0}, "Invalid num_threads 0"),
        ({"num_epochs": 0}, "Invalid num_epochs 0"),
    ],
)
def test_what_reading_refuses(files: str, given: dict[str, Any], message: str) -> None:
    arguments = {"file_pattern": files, "batch_size": 1, "reader": tf.TFRecordReader} | given
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        learn.read_batch_examples(**arguments)


def test_turns() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        counter = tf.Variable(tf.constant(-1, tf.int64))
        turn = input_pipeline.obtain_next(tf.constant(["a", "b"]), counter)
        limited = input_pipeline.seek_next(["a", "b", "c"], num_epochs=2)
        session.run(tf.global_variables_initializer())
        for expected, count in ((b"a", 0), (b"b", 1), (b"a", 0)):
            assert session.run(turn) == expected
            assert session.run(counter) == count
        assert [session.run(limited) for _ in range(6)] == [b"a", b"b", b"c"] * 2
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(limited)
        with pytest.raises(ValueError, match="must have rank 1"):
            input_pipeline.obtain_next(tf.constant("a"), counter)


def generator() -> Iterator[dict[str, Any]]:
    for number in range(5):
        yield {"x": np.full(number % 2 + 1, number), "label": np.float32(number)}


def test_generators() -> None:
    with tf.Graph().as_default():
        features, labels = learn.io.generator_input_fn(
            generator, "label", 2, shuffle=False, pad_value=-1
        )()
        found = batches([features["x"], labels])
    np.testing.assert_equal(found[0][0], [[0, -1], [1, 1]])
    np.testing.assert_equal(np.concatenate([label for _, label in found]), np.arange(5))
    for bad, error in (
        (lambda: learn.io.generator_input_fn([1]), "x must be generator function"),
        (lambda: learn.io.generator_input_fn(lambda: 1), "must be generator; got int"),
        (lambda: learn.io.generator_input_fn(generator, 3), "target_key must be str"),
    ):
        with pytest.raises(TypeError, match=error):
            bad()
    with pytest.raises(KeyError, match="target_key not in yielded dict"):
        learn.io.generator_input_fn(generator, "y")


def test_tables() -> None:
    frame = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]})
    np.testing.assert_equal(learn.extract_pandas_data(frame), [[1, 0.5, 1], [2, 1.5, 0]])
    np.testing.assert_equal(learn.extract_pandas_matrix(frame[["a"]]), [[1], [2]])
    np.testing.assert_equal(learn.extract_pandas_labels(frame[["a"]]), [[1], [2]])
    np.testing.assert_equal(learn.extract_pandas_labels(frame["a"]), [1, 2])
    assert learn.extract_pandas_data([1]) == [1]
    with pytest.raises(ValueError, match=r"must be int, float, or bool\. Found: 'd'"):
        learn.extract_pandas_data(frame.assign(d=["x", "y"]))
    with pytest.raises(ValueError, match="Only one column for labels"):
        learn.extract_pandas_labels(frame)
    assert learn.extract_dask_data(frame) is frame
