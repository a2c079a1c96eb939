"""The integers that carry quantized elements: arrays of these are records of one field."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.values.dtypes import DType


def carrier(dtype: DType) -> Any:
    """The integer type of a quantized element type, any other type's own numpy type."""
    kind = np.dtype(dtype.as_numpy_dtype)
    return kind if kind.names is None else kind[0]


def carried(array: Any) -> Any:
    """The integers of an array of quantized elements; what is none stays as it is."""
    names = array.dtype.names
    return array if names is None else np.asarray(array)[names[0]]


def quantized(integers: Any, dtype: DType) -> Any:
    """An array of quantized elements from their integers."""
    return (
        np.ascontiguousarray(integers, carrier(dtype))
        .view(dtype.as_numpy_dtype)
        .reshape(np.shape(integers))
    )
