"""MNIST: its four files, in batches; nothing is fetched from the net."""

from __future__ import annotations

import collections
import gzip
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, NotFoundError
from dataflow.graph import random_seed
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
    """Images and their labels, in an order that is shuffled anew for each epoch.

    numpy's global generator shuffles them, as in TensorFlow: a program that calls
    `numpy.random.seed` after it has read its data sees the same batches in every run.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
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
          fake_data: Whether there are none: 10,000 images of ones are pretended, which
            `next_batch(size, fake_data=True)` gives.
          one_hot: Whether labels are rows of ones and zeros; for the fake ones only.
          dtype: float32 scales images to [0, 1], uint8 leaves them.
          reshape: Whether images become rows.
          seed: Seeds numpy's global generator; without it the graph's seed does, and without
            that one chance.

        Raises:
          TypeError: If dtype is another one.
          ValueError: If there are more or fewer labels than images, or images that become rows
            have several channels.
        """
        of_graph, of_op = random_seed.get_seed(seed)
        np.random.seed(of_graph if seed is None else of_op)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        if fake_data:
            self._num_examples, self.one_hot = 10000, one_hot
        else:
            if len(images) != len(labels):
                raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
            self._num_examples = len(images)
            if reshape:
                if images.ndim != 4 or images.shape[3] != 1:
                    raise ValueError(
                        f"Images of shape {images.shape} cannot become rows, only those of shape "
                        "(count, rows, columns, 1); pass reshape=False."
                    )
                images = images.reshape(len(images), -1)
            if dtype == dtypes.float32:
                images = images.astype(np.float32) * np.float32(1 / 255)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._position = 0

    @property
    def images(self) -> Any:
        """All of them, in the order of this epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """A label for each image."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often batches have come to the end."""
        return self._epochs_completed

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """The next images and labels; a batch may hold the end of an epoch and the next's begin."""
        if fake_data:
            label = [1, *[0] * 9] if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label] * batch_size
        start = self._position
        if start == 0 and self._epochs_completed == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._position = start + batch_size
            return self._images[start : self._position], self._labels[start : self._position]
        self._epochs_completed += 1
        rest = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._position = batch_size - len(rest[0])
        return (
            np.concatenate([rest[0], self._images[: self._position]]),
            np.concatenate([rest[1], self._labels[: self._position]]),
        )

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


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
      fake_data: Whether no file is read; `next_batch(size, fake_data=True)` gives images of ones.
      one_hot: Whether labels become rows of ones and zeros.
      dtype: float32 scales images to [0, 1], uint8 leaves them.
      reshape: Whether images become rows of 784.
      validation_size: How many of the training examples are kept apart.
      seed: Of the order; without it the graph's.
      source_url: Where TensorFlow fetched them; not used.

    Raises:
      NotFoundError: If a file is missing.
      DataLossError: If one is damaged.
    """
    if fake_data:
        return Datasets(*(DataSet([], [], True, one_hot, dtype, seed=seed) for _ in range(3)))
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
            DataSet(x, y, dtype=dtype, reshape=reshape, seed=seed)
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
