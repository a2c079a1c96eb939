"""FarmHash's Fingerprint128 (https://github.com/google/farmhash), of one text after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dataflow.kernels.hashes.formulas import (
    FARMHASH,
    K0,
    K1,
    both,
    farmhash_round,
    mixed,
    rotated,
    weak,
)
from dataflow.kernels.hashes.rows import Rows, Words, hash_rows

_Pair = tuple[Words, Words]

_KEY: Final = np.uint64(0x9DDFEA08EB382D69)


def farmhash_128(strings: Sequence[bytes]) -> NDArray[np.int64]:
    """FarmHash's Fingerprint128: two words for each string, the first of which is not 0 or 1."""
    result = np.empty((len(strings), 2), np.uint64)
    with np.errstate(over="ignore"):
        for place, item in enumerate(strings):
            rows = Rows(np.frombuffer(item, np.uint8).reshape(1, len(item)))
            low, high = (word[0] for word in _city(rows))
            result[place] = (low if low >= 2 else low - np.uint64(2)), high
    return result.view(np.int64)


def _city(rows: Rows) -> _Pair:
    """CityHash128, which begins with the first 16 bytes where there are as many."""
    if rows.size < 16:
        return _murmur(rows, (K0.reshape(1), K1.reshape(1)))
    seed = rows.word(0), rows.word(8) + K0
    rest = rows.rest(16)
    return _murmur(rest, seed) if rest.size < 128 else _city_long(rest, seed)


def _murmur(rows: Rows, seed: _Pair) -> _Pair:
    """The hash of less than 128 bytes."""
    (a, b), size = seed, int(rows.size)
    if size <= 16:
        a = mixed(a * K1) * K1
        c = b * K1 + hash_rows(FARMHASH, rows)
        d = mixed(a + (rows.word(0) if size >= 8 else c))
    else:
        c = both(rows.word(size - 8) + K1, a, _KEY)
        d = both(b + np.uint64(size), c + rows.word(size - 16), _KEY)
        a = a + d
        for at in range(0, size - 16, 16):
            a = (a ^ (mixed(rows.word(at) * K1) * K1)) * K1
            b = b ^ a
            c = (c ^ (mixed(rows.word(at + 8) * K1) * K1)) * K1
            d = d ^ c
    a, b = both(a, c, _KEY), both(d, b, _KEY)
    return a ^ b, both(b, a, _KEY)


def _city_long(rows: Rows, seed: _Pair) -> _Pair:
    """The hash of 128 bytes or more: blocks of 64 from the front, then of 32 from the end."""
    (x, y), size = seed, int(rows.size)
    z = np.uint64(size) * K1.reshape(1)
    v0 = rotated(y ^ K1, 49) * K1 + rows.word(0)
    v1 = rotated(v0, 42) * K1 + rows.word(8)
    w0 = rotated(y + z, 35) * K1 + x
    w1 = rotated(x + rows.word(88), 53) * K1
    state = (x, y, z, v0, v1, w0, w1)
    front = size // 128 * 128
    for at in range(0, front, 64):
        state = farmhash_round(rows, np.uint64(at), K1, 1, state)
    x, y, z, v0, v1, w0, w1 = state
    x = x + rotated(v0 + z, 49) * K0
    y = y * K0 + rotated(w1, 37)
    z = z * K0 + rotated(w0, 27)
    w0, v0 = w0 * np.uint64(9), v0 * K0
    for at in range(size - 32, front - 32, -32):
        y = rotated(x + y, 42) * K0 + v1
        w0 = w0 + rows.word(at + 16)
        x = x * K0 + w0
        z = z + w1 + rows.word(at)
        w1 = w1 + v0
        v0, v1 = weak(rows, np.uint64(at), v0 + z, v1)
        v0 = v0 * K0
    x, y = both(x, v0, _KEY), both(y + z, w0, _KEY)
    return both(x + v1, w1, _KEY) + y, both(x + w1, y + v1, _KEY)
