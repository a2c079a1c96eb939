"""tf.contrib.learn.datasets.base: what data sets are kept in, and files of them."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from itertools import islice
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


def shrink_csv(filename: str, ratio: int) -> str:
    """Writes the first of each `ratio` rows to a file with "_small" in its name, which is given."""
    small = filename.replace(".", "_small.")
    with (
        open(filename, encoding="utf-8", newline="") as file,
        open(small, "w", encoding="utf-8", newline="") as written,
    ):
        csv.writer(written).writerows(islice(csv.reader(file), 0, None, ratio))
    return small


def load_iris(data_path: Any = None) -> Dataset:
    """Fisher's 150 irises of three kinds.

    Args:
      data_path: A file as `load_csv_with_header` reads it; scikit-learn's if None.

    Raises:
      NotFoundError: There is no path and no scikit-learn.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, np.int_, np.float64)
    found = load_csv_with_header(_of_scikit_learn("iris.csv"), np.int_, np.float64)
    # Two flowers are in TensorFlow's file as UCI has them, not as Fisher had.
    found.data[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return found


def load_boston(data_path: Any = None) -> Dataset:
    """Prices of 506 houses in Boston, by 13 numbers.

    Args:
      data_path: A file as `load_csv_with_header` reads it; that of a scikit-learn before 1.2 if
        None.

    Raises:
      NotFoundError: There is no path and no such scikit-learn.
    """
    path = data_path or _of_scikit_learn("boston_house_prices.csv")
    return load_csv_with_header(path, target_dtype=np.float64, features_dtype=np.float64)


def _of_scikit_learn(name: str) -> Path:
    found = find_spec("sklearn")
    folders = [] if found is None else list(found.submodule_search_locations or ())
    for folder in folders:
        path = Path(folder) / "datasets" / "data" / name
        if path.is_file():
            return path
    raise NotFoundError(
        None,
        None,
        f"{name} is not here: give its path as data_path, or install a scikit-learn that has it.",
    )


def maybe_download(filename: str, work_directory: Any, source_url: str) -> str:
    """The path of a file of a folder; nothing is fetched from the net.

    Raises:
      NotFoundError: It is not there.
    """
    path = Path(work_directory) / filename
    if not path.is_file():
        raise NotFoundError(None, None, f"{path} must be put there; it is at {source_url}")
    return str(path)
