"""Data sets of files that are at hand, and the errors of those that are not."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras


def test_files_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".keras" / "datasets" / "fashion-mnist"
    folder.mkdir(parents=True)
    random, wanted = np.random.RandomState(0), []
    for part, count in (("train", 5), ("t10k", 2)):
        images, numbers = random.randint(0, 256, (count, 28, 28)), random.randint(0, 10, count)
        wanted += [images, numbers]
        for name, head, values in (("images-idx3", 16, images), ("labels-idx1", 8, numbers)):
            with gzip.open(folder / f"{part}-{name}-ubyte.gz", "wb") as file:
                file.write(bytes(head) + values.astype(np.uint8).tobytes())
    (x, y), (test_x, test_y) = keras.datasets.fashion_mnist.load_data()
    for found, each in zip((x, y, test_x, test_y), wanted, strict=True):
        np.testing.assert_array_equal(found, each)


def test_files_by_addresses(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("text")
    address = (tmp_path / "there.txt").as_uri()
    kept = keras.utils.get_file("kept.txt", address, cache_dir=str(tmp_path))
    assert Path(kept).read_text() == "text" and Path(kept).parent.name == "datasets"
    with pytest.raises(OSError, match=r"URL fetch failure on file:.*A file that is at hand is"):
        keras.utils.get_file("lost.txt", f"{address}.lost", cache_dir=str(tmp_path))
    with pytest.raises(ValueError, match="test_split must be"):
        keras.datasets.boston_housing.load_data(test_split=1.0)
