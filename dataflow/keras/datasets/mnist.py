"""tf.keras.datasets.mnist: handwritten digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras.conveniences import get_file


def load_data(path: str = "mnist.npz") -> Any:
    """Images and numbers for training, and for tests: (x, y), (x, y).

    Args:
      path: Name of the file in `~/.keras/datasets`.

    Raises:
      OSError: It is not there and cannot be loaded.
    """
    file = get_file(
        path,
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz",
        file_hash="731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
    )
    with np.load(file) as arrays:
        train, test = ((arrays[f"x_{part}"], arrays[f"y_{part}"]) for part in ("train", "test"))
        return train, test
