"""Element types as TensorFlow names them in errors."""

from __future__ import annotations

from typing import Final

from dataflow.values.dtypes import DType

_SHORT_NAMES: Final = {"float32": "float", "float64": "double", "float16": "half"}


def type_name(dtype: DType) -> str:
    """`float`, `double`, `half`, `int32`."""
    return _SHORT_NAMES.get(dtype.name, dtype.name)
