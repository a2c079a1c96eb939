"""MNIST's files, as tensorflow.examples.tutorials.mnist.input_data reads them."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.learn.datasets.mnist import DataSet, read_data_sets
from dataflow.porting.spellings.examples import mnist


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve training examples and four tests: image i is filled with i, and of class i % 10."""
    for part, count in (("train", 12), ("t10k", 4)):
        pixels = np.repeat(np.arange(count, dtype=np.uint8), 784).tobytes()
        images = struct.pack(">iiii", 2051, count, 28, 28) + pixels
        labels = struct.pack(">ii", 2049, count) + bytes(i % 10 for i in range(count))
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    return tmp_path


def test_examples_and_epochs(folder: Path) -> None:
    data = read_data_sets(str(folder), one_hot=True, validation_size=2)
    assert [part.num_examples for part in data] == [10, 2, 4]
    assert data.train.images.shape == (10, 784) and data.train.images.dtype == np.float32
    np.testing.assert_array_equal(data.validation.labels, np.eye(10)[[0, 1]])
    seen: list[int] = []
    for _ in range(5):
        images, labels = data.train.next_batch(4)
        classes = labels.argmax(1)
        values = np.rint(images[:, 0] * 255).astype(int)
        np.testing.assert_array_equal(values % 10, classes)
        seen += values.tolist()
    assert sorted(seen[:10]) == sorted(seen[10:]) == list(range(2, 12))
    assert data.train.epochs_completed == 1


def test_as_they_are(folder: Path) -> None:
    data = read_data_sets(str(folder), dtype=tf.uint8, reshape=False, validation_size=0)
    assert data.train.images.shape == (12, 28, 28, 1)
    images, labels = data.train.next_batch(3, shuffle=False)
    assert images[:, 5, 5, 0].tolist() == [0, 1, 2] == labels.tolist()


def test_orders_of_1_15(folder: Path) -> None:
    """The batches that TensorFlow 1.15 gives of these files with these seeds, of numpy 1.18."""

    def seen(data: Any) -> list[list[int]]:
        batches = [data.train.next_batch(4)[0][:, 0] * 255 for _ in range(4)]
        return [np.rint(batch).astype(int).tolist() for batch in batches]

    data = read_data_sets(str(folder), validation_size=2)
    np.random.seed(3)
    assert seen(data) == [[7, 6, 3, 4], [11, 8, 9, 2], [5, 10, 4, 5], [3, 6, 10, 11]]
    data = read_data_sets(str(folder), validation_size=2, seed=7)
    assert seen(data) == [[10, 7, 2, 4], [3, 11, 9, 5], [8, 6, 7, 4], [2, 11, 6, 10]]
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        data = read_data_sets(str(folder), validation_size=2)
        assert seen(data) == [[11, 7, 4, 6], [9, 3, 2, 10], [8, 5, 4, 3], [2, 6, 8, 7]]
        data = read_data_sets(str(folder), validation_size=2, seed=9)
        assert seen(data) == [[10, 6, 9, 4], [3, 11, 5, 2], [8, 7, 5, 9], [2, 3, 7, 4]]


def test_pretended_and_refused_images(tmp_path: Path) -> None:
    data = read_data_sets(str(tmp_path), fake_data=True, one_hot=True)
    assert [part.num_examples for part in data] == [10000] * 3
    images, labels = data.validation.next_batch(2, fake_data=True)
    assert images == [[1] * 784] * 2 and labels == [[1, *[0] * 9]] * 2
    assert DataSet([], [], True).next_batch(3, fake_data=True)[1] == [0, 0, 0]
    with pytest.raises(TypeError, match=r"Invalid image dtype tf[.]int32, expected"):
        DataSet([], [], dtype=tf.int32)
    with pytest.raises(ValueError, match=r"labels.shape: \(2,\)"):
        DataSet(np.zeros([3, 2, 2, 1], np.uint8), np.zeros(2))
    with pytest.raises(ValueError, match="cannot become rows"):
        DataSet(np.zeros([3, 2, 2, 3], np.uint8), np.zeros(3))


def test_missing_and_damaged_files(folder: Path) -> None:
    path = folder / "train-labels-idx1-ubyte.gz"
    whole = gzip.decompress(path.read_bytes())
    for content, message in (
        (gzip.compress(whole[:-1]), "11 bytes of"),
        (gzip.compress(b"\0" + whole), "magic number"),
        (gzip.compress(whole[:6]), "unpack requires"),
        (whole, "Not a gzipped file"),
        (gzip.compress(struct.pack(">ii", 2049, -5)), "0 bytes of"),
    ):
        path.write_bytes(content)
        with pytest.raises(tf.errors.DataLossError, match=f"train-labels.*{message}"):
            read_data_sets(str(folder))
    path.unlink()
    with pytest.raises(tf.errors.NotFoundError, match=r"train-labels-idx1-ubyte[.]gz must be put"):
        read_data_sets(str(folder))
    with pytest.raises(ValueError, match="between 0 and"):
        (folder / path.name).write_bytes(gzip.compress(whole))
        read_data_sets(str(folder), validation_size=13)


def test_the_tutorials_network() -> None:
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        images = tf.placeholder(tf.float32, [None, mnist.IMAGE_PIXELS])
        labels = tf.placeholder(tf.int32, [None])
        logits = mnist.inference(images, 16, 8)
        loss = mnist.loss(logits, labels)
        step = mnist.training(loss, 0.5)
        right = mnist.evaluation(logits, labels)
        # As in 1.15.
        assert [v.name for v in tf.global_variables()] == [
            "hidden1/weights:0",
            "hidden1/biases:0",
            "hidden2/weights:0",
            "hidden2/biases:0",
            "softmax_linear/weights:0",
            "softmax_linear/biases:0",
            "global_step:0",
        ]
        assert logits.name == "softmax_linear/add:0" and right.dtype == tf.int32
        assert loss.name == "sparse_softmax_cross_entropy_loss/value:0"
        assert [s.name for s in tf.get_collection("summaries")] == ["loss:0"]
        random = np.random.RandomState(0)
        fed = {images: random.rand(9, 784), labels: np.arange(9)}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            variables = session.run(tf.trainable_variables())
            w1, b1, w2, b2, w3, b3 = variables
            for weights in (w1, w2, w3):
                bound = 2 / np.sqrt(weights.shape[0])
                assert 0.6 * bound < np.abs(weights).max() <= bound
            hidden = np.maximum(np.maximum(fed[images] @ w1 + b1, 0) @ w2 + b2, 0)
            expected = hidden @ w3 + b3
            softmax = np.exp(expected) / np.exp(expected).sum(1, keepdims=True)
            before, value, count = session.run([logits, loss, right], fed)
            np.testing.assert_allclose(before, expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(value, -np.log(softmax[range(9), range(9)]).mean(), 1e-5)
            assert count == (expected.argmax(1) == np.arange(9)).sum()
            session.run(step, fed)
            slope = (softmax - np.eye(9, 10)).mean(0)
            after, steps = session.run(tf.global_variables()[-2:])
            np.testing.assert_allclose(after, b3 - 0.5 * slope, rtol=1e-4, atol=1e-6)
            assert steps == 1
