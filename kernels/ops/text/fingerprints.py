"""Hashes of strings of 64 bits and of 128, of all those of one length at a time.

FarmHash's Fingerprint64 and Fingerprint128 (https://github.com/google/farmhash), SipHash-2-4
(Aumasson and Bernstein, 2012), and MurmurHash64A by Austin Appleby (public domain).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.uint8]
"""Strings of one length, one in each row."""

_K0: Final = np.uint64(0xC3A5C85C97CB3127)
_K1: Final = np.uint64(0xB492B66FBE98F273)
_K2: Final = np.uint64(0x9AE16A3B2F90404F)
_MURMUR: Final = np.uint64(0xC6A4A7935BD1E995)
_MURMUR_SEED: Final = 0xDECAFCAFFE
_PARTS: Final = 1 << 22
"""How many bytes are copied together at most, but for longer strings."""


def hashed(strings: Sequence[bytes], hash_rows: Callable[[Rows], Words]) -> Words:
    """The hashes of strings."""
    result = np.empty(len(strings), np.uint64)
    lengths = np.array([len(item) for item in strings], np.int64)
    order = np.argsort(lengths, kind="stable")
    ends = np.flatnonzero(np.diff(lengths[order])) + 1
    with np.errstate(over="ignore"):
        for group in np.split(order, ends):
            length = int(lengths[group[0]]) if group.size else 0
            step = max(1, _PARTS // max(length, 1))
            for begin in range(0, group.size, step):
                part = group[begin : begin + step]
                together = b"".join([strings[i] for i in part.tolist()])
                rows = np.frombuffer(together, np.uint8).reshape(part.size, length)
                result[part] = hash_rows(rows)
    return result


def _word(rows: Rows, place: int, size: int = 8) -> Words:
    part = np.zeros((rows.shape[0], 8), np.uint8)
    part[:, :size] = rows[:, place : place + size]
    words: Words = part.view("<u8")[:, 0].astype(np.uint64)
    return words


def _rotated(value: Words, bits: int) -> Words:
    """Rotated to the right."""
    return (value >> np.uint64(bits)) | (value << np.uint64(64 - bits))


def _mixed(value: Words) -> Words:
    return value ^ (value >> np.uint64(47))


def _both(u: Words, v: Words, factor: Any) -> Words:
    first = _mixed((u ^ v) * factor)
    result: Words = _mixed((v ^ first) * factor) * factor
    return result


def farmhash(rows: Rows) -> Words:
    """FarmHash's Fingerprint64."""
    count, size = rows.shape
    factor = _K2 + np.uint64(2 * size)
    if size > 64:
        return _farmhash_long(rows)
    if size > 16:
        return _farmhash_middle(rows, factor)
    if size >= 8:
        a, b = _word(rows, 0) + _K2, _word(rows, size - 8)
        return _both(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if size >= 4:
        low = np.uint64(size) + (_word(rows, 0, 4) << np.uint64(3))
        return _both(low, _word(rows, size - 4, 4), factor)
    if size:
        y = _word(rows, 0, 1) + (_word(rows, size >> 1, 1) << np.uint64(8))
        z = np.uint64(size) + (_word(rows, size - 1, 1) << np.uint64(2))
        return _mixed(y * _K2 ^ z * _K0) * _K2
    return np.full(count, _K2)


def _farmhash_middle(rows: Rows, factor: Any) -> Words:
    size = rows.shape[1]
    is_short = size <= 32
    a, b = _word(rows, 0) * (_K1 if is_short else _K2), _word(rows, 8)
    c, d = _word(rows, size - 8) * factor, _word(rows, size - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _both(y, a + _rotated(b + _K2, 18) + c, factor)
    if is_short:
        return z
    e, f = _word(rows, 16) * factor, _word(rows, 24)
    g, h = (y + _word(rows, size - 32)) * factor, (z + _word(rows, size - 24)) * factor
    return _both(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _farmhash_long(rows: Rows) -> Words:
    count, size = rows.shape
    zero = np.zeros(count, np.uint64)
    y = zero + np.uint64(81) * _K1 + np.uint64(113)
    z = _mixed(y * _K2 + np.uint64(113)) * _K2
    state = (np.uint64(81) * _K2 + _word(rows, 0), y, z, (zero, zero), (zero, zero))
    for place in range(0, (size - 1) // 64 * 64, 64):
        state = _farmhash_round(rows, place, _K1, 1, state)
    x, y, z, (v0, v1), (w0, w1) = state
    factor = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w0 = w0 + np.uint64((size - 1) & 63)
    v0 = v0 + w0
    w0 = w0 + v0
    state = (x, y, z, (v0, v1), (w0, w1))
    x, y, z, v, w = _farmhash_round(rows, size - 64, factor, 9, state)
    first = _both(v[0], w[0], factor) + _mixed(y) * _K0 + z
    return _both(first, _both(v[1], w[1], factor) + x, factor)


_Pair: TypeAlias = tuple[Words, Words]
_State: TypeAlias = tuple[Words, Words, Words, _Pair, _Pair]


def _farmhash_round(rows: Rows, at: int, factor: Any, weight: int, state: _State) -> _State:
    x, y, z, v, w = state
    nine = np.uint64(weight)
    x = _rotated(x + y + v[0] + _word(rows, at + 8), 37) * factor
    y = _rotated(y + v[1] + _word(rows, at + 48), 42) * factor
    x = x ^ (w[1] * nine)
    y = y + v[0] * nine + _word(rows, at + 40)
    z = _rotated(z + w[0], 33) * factor
    v = _weak(rows, at, v[1] * factor, x + w[0])
    w = _weak(rows, at + 32, z + w[1], y + _word(rows, at + 16))
    return z, y, x, v, w


def _weak(rows: Rows, at: int, a: Words, b: Words) -> _Pair:
    last = _word(rows, at + 24)
    a = a + _word(rows, at)
    b = _rotated(b + a + last, 21)
    c = a
    a = a + _word(rows, at + 8) + _word(rows, at + 16)
    return a + last, b + _rotated(a, 44) + c


_KEY: Final = np.uint64(0x9DDFEA08EB382D69)


def farmhash_128(strings: Sequence[bytes]) -> NDArray[np.int64]:
    """FarmHash's Fingerprint128: two words for each string, the first of which is not 0 or 1."""
    result = np.empty((len(strings), 2), np.uint64)
    with np.errstate(over="ignore"):
        for place, item in enumerate(strings):
            rows = np.frombuffer(item, np.uint8).reshape(1, len(item))
            low, high = (word[0] for word in _city(rows))
            result[place] = (low if low >= 2 else low - np.uint64(2)), high
    return result.view(np.int64)


def _city(rows: Rows) -> _Pair:
    """CityHash128, which begins with the first 16 bytes where there are as many."""
    if rows.shape[1] < 16:
        return _murmur(rows, (_K0.reshape(1), _K1.reshape(1)))
    seed = _word(rows, 0), _word(rows, 8) + _K0
    rest = rows[:, 16:]
    return _murmur(rest, seed) if rest.shape[1] < 128 else _city_long(rest, seed)


def _murmur(rows: Rows, seed: _Pair) -> _Pair:
    """The hash of less than 128 bytes."""
    (a, b), size = seed, rows.shape[1]
    if size <= 16:
        a = _mixed(a * _K1) * _K1
        c = b * _K1 + farmhash(rows)
        d = _mixed(a + (_word(rows, 0) if size >= 8 else c))
    else:
        c = _both(_word(rows, size - 8) + _K1, a, _KEY)
        d = _both(b + np.uint64(size), c + _word(rows, size - 16), _KEY)
        a = a + d
        for at in range(0, size - 16, 16):
            a = (a ^ (_mixed(_word(rows, at) * _K1) * _K1)) * _K1
            b = b ^ a
            c = (c ^ (_mixed(_word(rows, at + 8) * _K1) * _K1)) * _K1
            d = d ^ c
    a, b = _both(a, c, _KEY), _both(d, b, _KEY)
    return a ^ b, _both(b, a, _KEY)


def _city_long(rows: Rows, seed: _Pair) -> _Pair:
    """The hash of 128 bytes or more: blocks of 64 from the front, then of 32 from the end."""
    (x, y), size = seed, rows.shape[1]
    z = np.uint64(size) * _K1.reshape(1)
    v0 = _rotated(y ^ _K1, 49) * _K1 + _word(rows, 0)
    v1 = _rotated(v0, 42) * _K1 + _word(rows, 8)
    w0 = _rotated(y + z, 35) * _K1 + x
    w1 = _rotated(x + _word(rows, 88), 53) * _K1
    state = (x, y, z, (v0, v1), (w0, w1))
    front = size // 128 * 128
    for at in range(0, front, 64):
        state = _farmhash_round(rows, at, _K1, 1, state)
    x, y, z, (v0, v1), (w0, w1) = state
    x = x + _rotated(v0 + z, 49) * _K0
    y = y * _K0 + _rotated(w1, 37)
    z = z * _K0 + _rotated(w0, 27)
    w0, v0 = w0 * np.uint64(9), v0 * _K0
    for at in range(size - 32, front - 32, -32):
        y = _rotated(x + y, 42) * _K0 + v1
        w0 = w0 + _word(rows, at + 16)
        x = x * _K0 + w0
        z = z + w1 + _word(rows, at)
        w1 = w1 + v0
        v0, v1 = _weak(rows, at, v0 + z, v1)
        v0 = v0 * _K0
    x, y = _both(x, v0, _KEY), _both(y + z, w0, _KEY)
    return _both(x + v1, w1, _KEY) + y, _both(x + w1, y + v1, _KEY)


def siphash(key: Sequence[int]) -> Callable[[Rows], Words]:
    """SipHash-2-4 with a key of two words."""
    k0, k1 = (np.uint64(word & 0xFFFFFFFFFFFFFFFF) for word in key)

    def run(rows: Rows) -> Words:
        count, size = rows.shape
        constants = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
        starts = zip(constants, (k0, k1, k0, k1), strict=True)
        v = [np.full(count, np.uint64(constant) ^ part) for constant, part in starts]
        for place in range(0, size + 1, 8):
            word = _word(rows, place, min(8, size - place))
            if place + 8 > size:
                word = word | np.uint64((size & 0xFF) << 56)
            v[3] = v[3] ^ word
            _sip_rounds(v, 2)
            v[0] = v[0] ^ word
        v[2] = v[2] ^ np.uint64(0xFF)
        _sip_rounds(v, 4)
        return v[0] ^ v[1] ^ v[2] ^ v[3]

    return run


def _sip_rounds(v: list[Words], count: int) -> None:
    for _ in range(count):
        for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = v[a] + v[b]
            v[b] = _rotated(v[b], 64 - first) ^ v[a]
            v[a] = _rotated(v[a], 32)
            v[c] = v[c] + v[d]
            v[d] = _rotated(v[d], 64 - second) ^ v[c]


def murmur(rows: Rows) -> Words:
    """MurmurHash64A with TensorFlow's seed."""
    count, size = rows.shape
    result = np.full(count, np.uint64(_MURMUR_SEED) ^ (np.uint64(size) * _MURMUR))
    for place in range(0, size - 7, 8):
        word = _mixed(_word(rows, place) * _MURMUR) * _MURMUR
        result = (result ^ word) * _MURMUR
    if size % 8:
        result = (result ^ _word(rows, size - size % 8, size % 8)) * _MURMUR
    return _mixed(_mixed(result) * _MURMUR)
