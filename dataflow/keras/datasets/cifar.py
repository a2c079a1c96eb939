"""The files of the CIFAR data sets: images of 32 by 32 pixels, plane after plane, and labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.errors import DataLossError
from dataflow.keras import backend
from dataflow.keras.datasets.pickled import read_pickle

_SIZE = 32


def load_batch(fpath: str, label_key: str = "labels") -> tuple[Any, Any]:
    """Images, uint8 (n, 3, 32, 32), and labels of a file.

    Args:
      fpath: Path of the file.
      label_key: What its labels are called.

    Raises:
      DataLossError: There are no such images or labels in it.
    """
    with open(fpath, "rb") as file:
        parts = read_pickle(file, fpath, encoding="bytes")
    try:
        data, labels = parts[b"data"], parts[label_key.encode()]
        return data.reshape(len(data), 3, _SIZE, _SIZE), labels
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataLossError(
            None, None, f"{fpath} has no images with {label_key!r}: {error!r}."
        ) from error


def laid_out(images: Any) -> Any:
    """Images with the channels where `image_data_format` says."""
    return (
        images.transpose(0, 2, 3, 1) if backend.image_data_format() == "channels_last" else images
    )


def column(labels: Any) -> np.ndarray:
    """Labels as an array of shape (n, 1)."""
    return np.reshape(labels, (len(labels), 1))
