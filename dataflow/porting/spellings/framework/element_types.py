"""Element types that no public module names: those of references, and sets of types."""

from __future__ import annotations

from typing import Any, Final

from dataflow.proto.types_pb2 import DT_INVALID, DataType
from dataflow.values import dtypes
from dataflow.values.dtypes import as_dtype

_NUMERIC: Final = "float32 float64 int8 int16 int32 int64 uint8 qint8 qint32 quint8 complex64"
NUMERIC_TYPES: Final = frozenset(map(dtypes.as_dtype, _NUMERIC.split()))
"""Those whose tensors `tf.is_numeric_tensor` takes for numbers."""
_TYPE_TO_STRING: Final = {
    number: as_dtype(number).name for number in DataType.values() if number != DT_INVALID
}
"""Each type's name by its number in messages."""


def __getattr__(name: str) -> Any:
    if name.endswith("_ref"):
        try:
            return as_dtype(name)
        except TypeError:
            pass
    raise AttributeError(name)
