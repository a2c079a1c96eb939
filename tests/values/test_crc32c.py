"""The checksum against values of RFC 3720 and against the bit-by-bit definition."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.values.crc32c import crc32c, masked


def _slow(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_values_of_the_standard(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


def test_any_buffer_in_any_pieces() -> None:
    array = np.arange(700, dtype=np.int16)
    data = array.tobytes()
    assert crc32c(array) == crc32c(memoryview(data)) == _slow(data)
    assert crc32c(data[9:], crc32c(bytearray(data[:9]))) == _slow(data)
    assert crc32c(b"") == crc32c(np.zeros((0, 3))) == 0


def test_more_than_one_piece() -> None:
    data = np.random.default_rng(0).integers(0, 256, 600_001, dtype=np.uint8)
    assert crc32c(data) == crc32c(data.tobytes())


def test_masked() -> None:
    # Rotated right by 15 bits, plus a constant: as in the records of TensorFlow's files.
    assert masked(0) == 0xA282EAD8
    assert masked(0x8000) == (0xA282EAD8 + 1) & 0xFFFFFFFF
    assert masked(1) == (0xA282EAD8 + (1 << 17)) & 0xFFFFFFFF
