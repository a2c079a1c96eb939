"""Tables of dask's whose parts know their rows."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

HAS_DASK = importlib.util.find_spec("dask") is not None
"""Whether dask is installed."""


def extract_dask_data(data: Any) -> Any:
    """A dask Series or DataFrame whose index counts rows through all parts.

    What is neither is given back.
    """
    return _counted(data) if _is_dask(data) else data


def extract_dask_labels(labels: Any) -> Any:
    """The same, of a single column.

    Raises:
      ValueError: There are several.
    """
    if not _is_dask(labels):
        return labels
    if len(getattr(labels, "columns", [None])) > 1:
        raise ValueError("Only one column for labels is allowed.")
    return _counted(labels)


def _is_dask(data: Any) -> bool:
    return hasattr(data, "map_partitions") and hasattr(data, "divisions")


def _counted(data: Any) -> Any:
    ends = np.cumsum([0, *data.map_partitions(len).compute()]).tolist()

    def count(part: Any, partition_info: Any = None) -> Any:
        part = part.copy()
        part.index += ends[partition_info["number"]] if partition_info else 0
        return part

    found = data.map_partitions(count, meta=data)
    found.divisions = tuple(ends)
    return found
