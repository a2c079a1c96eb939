"""tf.keras.datasets.fashion_mnist: images of clothes."""

from __future__ import annotations

import gzip
import os
from typing import Any

import numpy as np

from dataflow.keras.conveniences import get_file

_ADDRESS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data() -> Any:
    """Images and numbers for training, and for tests: (x, y), (x, y).

    The files are those of `~/.keras/datasets/fashion-mnist`.

    Raises:
      OSError: They are not there and cannot be loaded.
    """
    train, test = (
        (
            _read(f"{part}-images-idx3-ubyte.gz", 16, (28, 28)),
            _read(f"{part}-labels-idx1-ubyte.gz", 8),
        )
        for part in ("train", "t10k")
    )
    return train, test


def _read(name: str, start: int, shape: tuple[int, ...] = ()) -> Any:
    """The bytes behind the head of a file, as an array of such parts."""
    folder = os.path.join("datasets", "fashion-mnist")
    with gzip.open(get_file(name, _ADDRESS + name, cache_subdir=folder), "rb") as file:
        return np.frombuffer(file.read()[start:], np.uint8).reshape(-1, *shape)
