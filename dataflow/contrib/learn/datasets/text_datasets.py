"""tf.contrib.learn.datasets.text_datasets: DBpedia's abstracts by their kinds."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import numpy as np

from dataflow.contrib.learn.datasets.base import (
    Datasets,
    load_csv_without_header,
    maybe_download,
    shrink_csv,
)

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"


def maybe_download_dbpedia(data_dir: str) -> None:
    """Unpacks the archive in a folder, unless its files are there; nothing is fetched.

    Raises:
      NotFoundError: Neither they nor the archive are there.
    """
    paths = [Path(data_dir) / "dbpedia_csv" / name for name in ("train.csv", "test.csv")]
    if not all(path.exists() for path in paths):
        archive = maybe_download("dbpedia_csv.tar.gz", data_dir, DBPEDIA_URL)
        with tarfile.open(archive, "r:*") as file:
            file.extractall(data_dir, filter="data")


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> Datasets:
    """The abstracts, from `dbpedia_data` in the folder that TF_EXP_BASE_DIR names, or in this one.

    Args:
      size: "small" for one of 1000 rows, which are written to files of their own.
      test_with_fake_data: Must be False: TensorFlow's few rows for tests are not here.

    Raises:
      NotFoundError: They are not there.
      ValueError: Those for tests are asked for.
    """
    if test_with_fake_data:
        raise ValueError("dataflow has no fake data of DBpedia; leave test_with_fake_data False.")
    folder = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data")
    maybe_download_dbpedia(folder)
    found = []
    for name in ("train", "test"):
        path = os.path.join(folder, "dbpedia_csv", f"{name}.csv")
        if size == "small":
            path = shrink_csv(path, 1000)
        found.append(load_csv_without_header(path, np.int32, np.str_, target_column=0))
    return Datasets(train=found[0], validation=None, test=found[1])
