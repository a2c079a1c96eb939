"""The sets of element types that many kernels serve."""

from __future__ import annotations

from typing import Final

from dataflow import dtypes
from dataflow.dtypes import DType

Types = tuple[DType, ...]

INTEGERS: Final[Types] = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
)
REAL: Final[Types] = (
    *INTEGERS,
    dtypes.half,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)
NUMBERS: Final[Types] = (*REAL, dtypes.complex64, dtypes.complex128)
PLAIN: Final[Types] = (*NUMBERS, dtypes.bool)
"""Numbers and booleans."""
ANY: Final[Types] = (*PLAIN, dtypes.string)
"""Everything but handles and quantized types."""
