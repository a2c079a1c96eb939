"""MNIST: its four files, in batches; nothing is fetched from the net."""

from __future__ import annotations

import collections
import gzip
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, NotFoundError
from dataflow.values import dtypes

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])

_FILES: Final = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_IMAGES, _LABELS = 2051, 2049


class DataSet:
    """Images and their labels, in an order that is shuffled anew for each epoch."""

    def __init__(
        self,
        images: np.ndarray,
        labels: np.ndarray,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        """Takes images of shape (count, rows, columns, 1), and a label for each.

        Args:
          images: uint8.
          labels: Classes, or rows of ones and zeros.
          fake_data: TensorFlow's: images of ones, without files. Not offered.
          one_hot: Whether labels are rows of ones and zeros; for the fake ones only.
          dtype: float32 scales images to [0, 1], uint8 leaves them.
          reshape: Whether images become rows.
          seed: Of the order.
        """
        if fake_data:
            raise ValueError("fake_data is not offered; pass arrays of your own.")
        if len(images) != len(labels):
            raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
        if reshape:
            images = images.reshape(len(images), -1)
        if dtypes.as_dtype(dtype).base_dtype == dtypes.float32:
            images = images.astype(np.float32) * np.float32(1 / 255)
        self.images, self.labels = images, labels
        self.epochs_completed = 0
        self._random = np.random.RandomState(seed)
        self._position = 0

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return len(self.images)

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next images and labels; a batch may hold the end of an epoch and the next's begin."""
        start = self._position
        if start == 0 and self.epochs_completed == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._position = start + batch_size
            return self.images[start : self._position], self.labels[start : self._position]
        self.epochs_completed += 1
        rest = self.images[start:], self.labels[start:]
        if shuffle:
            self._shuffle()
        self._position = batch_size - len(rest[0])
        return (
            np.concatenate([rest[0], self.images[: self._position]]),
            np.concatenate([rest[1], self.labels[: self._position]]),
        )

    def _shuffle(self) -> None:
        order = self._random.permutation(self.num_examples)
        self.images, self.labels = self.images[order], self.labels[order]


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = "",
) -> Any:
    """MNIST from its four files; nothing is fetched from the net.

    Args:
      train_dir: The folder that holds them.
      fake_data: Not offered.
      one_hot: Whether labels become rows of ones and zeros.
      dtype: float32 scales images to [0, 1], uint8 leaves them.
      reshape: Whether images become rows of 784.
      validation_size: How many of the training examples are kept apart.
      seed: Of the order.
      source_url: Where TensorFlow fetched them; not used.

    Raises:
      NotFoundError: If a file is missing.
      DataLossError: If one is damaged.
    """
    folder = Path(train_dir)
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise NotFoundError(
            None, None, f"MNIST is not in {folder}: {', '.join(missing)} must be put there."
        )
    images, labels, test_images, test_labels = (
        read_idx(folder / name, _IMAGES if "images" in name else _LABELS) for name in _FILES
    )
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    if one_hot:
        labels, test_labels = np.eye(10)[labels], np.eye(10)[test_labels]
    return Datasets(
        *(
            DataSet(x, y, fake_data, dtype=dtype, reshape=reshape, seed=seed)
            for x, y in (
                (images[validation_size:], labels[validation_size:]),
                (images[:validation_size], labels[:validation_size]),
                (test_images, test_labels),
            )
        )
    )


def read_idx(path: Path, magic: int) -> np.ndarray:
    """The array of bytes in a compressed idx file; images get an axis of one channel.

    Raises:
      DataLossError: If it is no such file, or is cut off.
    """
    try:
        with gzip.open(path) as file:
            found, count = struct.unpack(">ii", file.read(8))
            if found != magic:
                raise DataLossError(None, None, f"{path}: magic number {found}, not {magic}.")
            shape = [count]
            if magic == _IMAGES:
                shape += [*struct.unpack(">ii", file.read(8)), 1]
            size = int(np.prod(shape))
            data = file.read(size) if min(shape) >= 0 else b""
    except (OSError, EOFError, struct.error) as error:
        raise DataLossError(None, None, f"{path}: {error}") from error
    if len(data) != size:
        raise DataLossError(None, None, f"{path}: {len(data)} bytes of {shape}, not {size}.")
    return np.frombuffer(data, np.uint8).reshape(shape)


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    """As `read_data_sets` of a folder."""
    return read_data_sets(train_dir)
