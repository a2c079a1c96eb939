"""tf.keras.datasets.boston_housing: prices of houses."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras.conveniences import get_file


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Any:
    """Numbers and prices for training, and for tests: (x, y), (x, y).

    Args:
      path: Name of the file in `~/.keras/datasets`.
      test_split: The share that is for tests.
      seed: Of the order.

    Raises:
      OSError: The file is not there and cannot be loaded.
    """
    if not 0 <= test_split < 1:
        raise ValueError(f"test_split must be at least 0 and below 1, not {test_split}.")
    file = get_file(
        path,
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz",
        file_hash="f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
    )
    with np.load(file) as arrays:
        x, y = arrays["x"], arrays["y"]
    order = np.arange(len(x))
    np.random.seed(seed)
    np.random.shuffle(order)
    x, y = x[order], y[order]
    end = int(len(x) * (1 - test_split))
    return (x[:end], y[:end]), (x[end:], y[end:])
