"""The sets of element types that many kernels serve."""

from __future__ import annotations

from typing import Final

from dataflow.values import dtypes
from dataflow.values.dtypes import DType

Types = tuple[DType, ...]

FLOATS: Final[Types] = (dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float64)
"""The floating types most numeric kernels serve."""
SIGNED: Final[Types] = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
UNSIGNED: Final[Types] = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
COMPLEX: Final[Types] = (dtypes.complex64, dtypes.complex128)
INTEGERS: Final[Types] = (*SIGNED, *UNSIGNED)
REAL: Final[Types] = (*INTEGERS, *FLOATS)
NUMBERS: Final[Types] = (*REAL, *COMPLEX)
PLAIN: Final[Types] = (*NUMBERS, dtypes.bool)
"""Numbers and booleans."""
ANY: Final[Types] = (*PLAIN, dtypes.string)
"""Everything but handles and quantized types."""
