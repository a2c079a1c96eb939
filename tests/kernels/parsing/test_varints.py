"""Varints to numbers: one by one, and many at once."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf.internal.encoder import _EncodeVarint

from dataflow.kernels.parsing.varints import in_row

_EDGES = [0, 1, 127, 128, 300, 2**14 - 1, 2**14, 2**31, 2**56 - 1, 2**56, 2**63 - 1, -1, -(2**63)]


def _written(numbers: list[int]) -> bytes:
    pieces: list[bytes] = []
    for number in numbers:
        _EncodeVarint(pieces.append, number % 2**64)
    return b"".join(pieces)


@pytest.mark.parametrize("form", [bytes, lambda held: np.frombuffer(held, np.uint8)])
@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [5],
        *([edge] for edge in _EDGES),
        _EDGES,
        [300] * 128,
        [1] + [300] * 128,
        [127] * 100,
        [127] * 99 + [128],
    ],
    ids=lambda numbers: f"{len(_written(numbers))} bytes from {numbers[:1]}",
)
def test_numbers_are_those_that_were_written(form: object, numbers: list[int]) -> None:
    found = in_row(form(_written(numbers)))  # type: ignore[operator]
    assert found.dtype == np.int64
    assert found.tolist() == numbers


@pytest.mark.parametrize("count", [3, 30], ids=["few", "many"])
def test_bits_that_no_number_has_are_lost(count: int) -> None:
    assert in_row((b"\x80" * 9 + b"\x7f") * count).tolist() == [-(2**63)] * count
