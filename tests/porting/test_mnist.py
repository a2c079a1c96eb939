"""MNIST's files, as tensorflow.examples.tutorials.mnist.input_data reads them."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.learn.datasets.mnist import read_data_sets


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
