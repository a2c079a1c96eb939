"""tf.keras.datasets.cifar100: small images of a hundred kinds of things, in twenty groups."""

from __future__ import annotations

import os
from typing import Any, Final

from dataflow.keras.conveniences import get_file
from dataflow.keras.datasets.cifar import column, laid_out, load_batch

FILE_HASH: Final = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"


def load_data(label_mode: str = "fine") -> Any:
    """Images, uint8, and numbers of kinds, (n, 1), for training, and for tests: (x, y), (x, y).

    The file is `cifar-100-python.tar.gz` of `~/.keras/datasets`.

    Args:
      label_mode: "fine" for kinds, "coarse" for their groups.

    Raises:
      OSError: It is not there and cannot be loaded.
      ValueError: There is no such label.
      DataLossError: A file in it is damaged.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.')
    origin = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    folder = get_file("cifar-100-python", origin, untar=True, file_hash=FILE_HASH)
    (x, y), (test_x, test_y) = (
        load_batch(os.path.join(folder, part), f"{label_mode}_labels") for part in ("train", "test")
    )
    return (laid_out(x), column(y)), (laid_out(test_x), column(test_y))
