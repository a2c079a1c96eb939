"""tf.contrib.learn.datasets.base: what data sets are kept in, and files of them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dataflow.errors import NotFoundError


class Dataset(NamedTuple):
    """Features and labels."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """Three data sets."""

    train: Any
    validation: Any
    test: Any


def load_csv_with_header(
    filename: Any, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A file whose first line says how many rows and columns follow."""
    with open(filename, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        data = np.zeros((int(header[0]), int(header[1])), dtype=features_dtype)
        target = np.zeros((int(header[0]),), dtype=target_dtype)
        for index, row in enumerate(rows):
            target[index] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[index] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(
    filename: Any, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A file of rows."""
    data, target = [], []
    with open(filename, encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def maybe_download(filename: str, work_directory: Any, source_url: str) -> str:
    """The path of a file of a folder; nothing is fetched from the net.

    Raises:
      NotFoundError: It is not there.
    """
    path = Path(work_directory) / filename
    if not path.is_file():
        raise NotFoundError(None, None, f"{path} must be put there; it is at {source_url}")
    return str(path)
