"""Keys of slices: a name and extents in a form whose bytes sort as they do.

Source of the format: TensorFlow's `tensorflow/core/lib/strings/ordered_code.h`.
"""

from __future__ import annotations

from dataflow.checkpoints.slices import Slice


def slice_key(name: str, part: Slice) -> bytes:
    """The key under which a slice of a tensor is stored."""
    out = _number(0) + _string(name.encode()) + _number(len(part.extents))
    for start, length in part.extents:
        out += _signed(start) + _signed(length)
    return out


def _string(text: bytes) -> bytes:
    escaped = bytearray()
    for byte in text:
        escaped.append(byte)
        if byte == 0:
            escaped.append(0xFF)
        elif byte == 0xFF:
            escaped.append(0)
    return bytes(escaped) + b"\x00\x01"


def _number(value: int) -> bytes:
    digits = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(digits)]) + digits


def _signed(value: int) -> bytes:
    """Two's complement whose first bits, inverted with the sign, say how many bytes there are."""
    size = (value if value >= 0 else ~value).bit_length() // 7 + 1
    bits = value & ((1 << 8 * size) - 1)
    header = ((1 << size) - 1) << (7 * size)
    return (bits ^ header).to_bytes(size, "big")
