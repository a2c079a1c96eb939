"""Arrays of pandas' tables."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

HAS_PANDAS = importlib.util.find_spec("pandas") is not None
"""Whether pandas is installed."""


def extract_pandas_data(data: Any) -> Any:
    """The values of a DataFrame as floats; what is none is given back.

    Raises:
      ValueError: A column has other types than integers, floats and booleans.
    """
    if not _is_frame(data):
        return data
    bad = [column for column in data if not _is_number(data[column].dtype)]
    if bad:
        found = ", ".join(f"'{column}' type='{data[column].dtype.name}'" for column in bad)
        raise ValueError(
            f"Data types for extracting pandas data must be int, float, or bool. Found: {found}"
        )
    return data.values.astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """The values of a DataFrame; what is none is given back."""
    return data.values if _is_frame(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """The values of a Series, or of a DataFrame of one column; what is neither is given back.

    Raises:
      ValueError: There are several columns, or other types than integers, floats and booleans.
    """
    if _is_frame(labels):
        if len(labels.columns) > 1:
            raise ValueError("Only one column for labels is allowed.")
        if not all(_is_number(labels[column].dtype) for column in labels):
            raise ValueError("Data types for labels must be int, float, or bool.")
        return labels.values
    return labels.values if hasattr(labels, "iloc") else labels


def _is_frame(data: Any) -> bool:
    return all(hasattr(data, name) for name in ("columns", "index", "iloc"))


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"
