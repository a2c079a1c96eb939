"""tf.keras.datasets.cifar10: small images of ten kinds of things."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from dataflow.keras.conveniences import get_file
from dataflow.keras.datasets.cifar import column, laid_out, load_batch

FILE_HASH: Final = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"
_BATCHES: Final = 5


def load_data() -> Any:
    """Images, uint8, and kinds, uint8 (n, 1), for training, and for tests: (x, y), (x, y).

    The file is `cifar-10-batches-py.tar.gz` of `~/.keras/datasets`.

    Raises:
      OSError: It is not there and cannot be loaded.
      DataLossError: A file in it is damaged.
    """
    origin = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    folder = get_file("cifar-10-batches-py", origin, untar=True, file_hash=FILE_HASH)
    batches = [load_batch(os.path.join(folder, f"data_batch_{i + 1}")) for i in range(_BATCHES)]
    x, y = load_batch(os.path.join(folder, "test_batch"))
    train = np.concatenate([images for images, _ in batches])
    labels = [label for _, part in batches for label in part]
    return (
        (laid_out(train), column(np.array(labels, np.uint8))),
        (laid_out(x), column(np.array(y, np.uint8))),
    )
