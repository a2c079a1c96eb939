"""The sets of element types that ops' schemas share, in the order in which errors list them."""

from __future__ import annotations

from typing import Final

FLOAT: Final = "T: {bfloat16, half, float32, float64}"
NN_FLOAT: Final = "T: floattype"
REAL: Final = "T: realnumbertype"
FLOAT_COMPLEX: Final = "T: {bfloat16, half, float32, float64, complex64, complex128}"
SIGNED: Final = (
    "T: {bfloat16, half, float32, float64, int8, int16, int32, int64, complex64, complex128}"
)
BINARY: Final = (
    "T: {bfloat16, half, float32, float64, uint8, int8, uint16, int16, int32, uint32, uint64,"
    " int64, complex64, complex128}"
)
INTEGER: Final = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"
NUMBER: Final = (
    "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,"
    " bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
ORDERED: Final = (
    "{float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64,"
    " qint8, quint8, qint32, qint16, quint16"
)
"""Opened set: `ORDERED + "}"`, or with further members."""
INDEX: Final = "Tidx: {int32, int64} = int32"
