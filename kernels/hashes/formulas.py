"""Hashes of texts of 64 bits, told once for numpy's words and for those of machine code.

FarmHash's Fingerprint64 (https://github.com/google/farmhash), SipHash-2-4 (Aumasson and Bernstein,
2012), and MurmurHash64A by Austin Appleby (public domain).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

Word: TypeAlias = Any
"""An array of uint64, one of its numbers, or a word of machine code: what has their operators."""
State: TypeAlias = tuple[Word, ...]

K0: Final = np.uint64(0xC3A5C85C97CB3127)
K1: Final = np.uint64(0xB492B66FBE98F273)
K2: Final = np.uint64(0x9AE16A3B2F90404F)
_MURMUR: Final = np.uint64(0xC6A4A7935BD1E995)
_MURMUR_SEED: Final = np.uint64(0xDECAFCAFFE)
_SIP: Final = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_WHOLE: Final = np.uint64(2**64 - 8)
"""Of a number of bytes those of whole words."""
_BLOCKS: Final = np.uint64(2**64 - 64)
"""Of a number of bytes those of whole blocks."""


class Bytes(Protocol):
    """A text, or all of several texts of one length."""

    @property
    def size(self) -> Word:
        """How many bytes there are."""

    @property
    def keys(self) -> State:
        """The words of the key."""

    def word(self, place: Word, size: int = 8) -> Word:
        """So many bytes, 1, 4 or 8, as a number: the first one is the lowest."""

    def tail(self) -> Word:
        """What is left of eight bytes each, as a number."""

    def choose(self, test: Word, word: Word, other: Word) -> Word:
        """A word where a number that depends on the size only is not 0, else the other."""


class Hash(NamedTuple):
    """What a hash computes."""

    short: tuple[tuple[int, Callable[[Bytes], Word]], ...]
    """Hashes of texts of at least so many bytes, the longest first."""
    least: int
    """How many bytes long texts have: words of these go through a state."""
    begin: Callable[[Bytes], State]
    looped: Callable[[Word], Word]
    """How many bytes, by the size, steps take;"""
    stride: int
    """as many at a time."""
    step: Callable[[Bytes, Word, State], State]
    """From a place on."""
    end: Callable[[Bytes, State], Word]
    keys: tuple[int, ...] = ()


def rotated(value: Word, bits: int) -> Word:
    """Rotated to the right."""
    return (value >> np.uint64(bits)) | (value << np.uint64(64 - bits))


def mixed(value: Word) -> Word:
    """With its upper bits in the lower ones."""
    return value ^ (value >> np.uint64(47))


def both(u: Word, v: Word, factor: Word) -> Word:
    """Two words as one."""
    first = mixed((u ^ v) * factor)
    return mixed((v ^ first) * factor) * factor


def _farmhash_0(text: Bytes) -> Word:
    return K2 + text.size


def _farmhash_1(text: Bytes) -> Word:
    size = text.size
    y = text.word(0, 1) + (text.word(size >> np.uint64(1), 1) << np.uint64(8))
    z = size + (text.word(size - np.uint64(1), 1) << np.uint64(2))
    return mixed(y * K2 ^ z * K0) * K2


def _factor(text: Bytes) -> Word:
    return K2 + text.size * np.uint64(2)


def _farmhash_4(text: Bytes) -> Word:
    low = text.size + (text.word(0, 4) << np.uint64(3))
    return both(low, text.word(text.size - np.uint64(4), 4), _factor(text))


def _farmhash_8(text: Bytes) -> Word:
    factor = _factor(text)
    a, b = text.word(0) + K2, text.word(text.size - np.uint64(8))
    return both(rotated(b, 37) * factor + a, (rotated(a, 25) + b) * factor, factor)


def _ends(text: Bytes, first: Word) -> tuple[Word, Word, Word]:
    """The first word times a factor, and what comes of it and of the last words."""
    factor, size = _factor(text), text.size
    a, b = text.word(0) * first, text.word(8)
    c, d = text.word(size - np.uint64(8)) * factor, text.word(size - np.uint64(16)) * K2
    y = rotated(a + b, 43) + rotated(c, 30) + d
    return a, y, both(y, a + rotated(b + K2, 18) + c, factor)


def _farmhash_17(text: Bytes) -> Word:
    return _ends(text, K1)[2]


def _farmhash_33(text: Bytes) -> Word:
    factor, size = _factor(text), text.size
    a, y, z = _ends(text, K2)
    e, f = text.word(16) * factor, text.word(24)
    g = (y + text.word(size - np.uint64(32))) * factor
    h = (z + text.word(size - np.uint64(24))) * factor
    return both(rotated(e + f, 43) + rotated(g, 30) + h, e + rotated(f + a, 18) + g, factor)


def _farmhash_begin(text: Bytes) -> State:
    first = text.word(0)
    zero = first ^ first
    with np.errstate(over="ignore"):
        y = np.uint64(81) * K1 + np.uint64(113)
        z = mixed(y * K2 + np.uint64(113)) * K2
        x = first + np.uint64(81) * K2
    return x, zero + y, zero + z, zero, zero, zero, zero


def _farmhash_step(text: Bytes, place: Word, state: State) -> State:
    return farmhash_round(text, place, K1, 1, state)


def _farmhash_end(text: Bytes, state: State) -> Word:
    x, y, z, v0, v1, w0, w1 = state
    size = text.size
    factor = K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w0 = w0 + ((size - np.uint64(1)) & np.uint64(63))
    v0 = v0 + w0
    w0 = w0 + v0
    state = x, y, z, v0, v1, w0, w1
    x, y, z, v0, v1, w0, w1 = farmhash_round(text, size - np.uint64(64), factor, 9, state)
    first = both(v0, w0, factor) + mixed(y) * K0 + z
    return both(first, both(v1, w1, factor) + x, factor)


def farmhash_round(text: Bytes, at: Word, factor: Word, weight: int, state: State) -> State:
    """The state after 64 bytes."""
    x, y, z, v0, v1, w0, w1 = state
    nine = np.uint64(weight)
    x = rotated(x + y + v0 + text.word(at + np.uint64(8)), 37) * factor
    y = rotated(y + v1 + text.word(at + np.uint64(48)), 42) * factor
    x = x ^ (w1 * nine)
    y = y + v0 * nine + text.word(at + np.uint64(40))
    z = rotated(z + w0, 33) * factor
    v0, v1 = weak(text, at, v1 * factor, x + w0)
    w0, w1 = weak(text, at + np.uint64(32), z + w1, y + text.word(at + np.uint64(16)))
    return z, y, x, v0, v1, w0, w1


def weak(text: Bytes, at: Word, a: Word, b: Word) -> tuple[Word, Word]:
    """Two words and 32 bytes as two words."""
    last = text.word(at + np.uint64(24))
    a = a + text.word(at)
    b = rotated(b + a + last, 21)
    c = a
    a = a + text.word(at + np.uint64(8)) + text.word(at + np.uint64(16))
    return a + last, b + rotated(a, 44) + c


FARMHASH: Final = Hash(
    (
        (33, _farmhash_33),
        (17, _farmhash_17),
        (8, _farmhash_8),
        (4, _farmhash_4),
        (1, _farmhash_1),
        (0, _farmhash_0),
    ),
    65,
    _farmhash_begin,
    lambda size: (size - np.uint64(1)) & _BLOCKS,
    64,
    _farmhash_step,
    _farmhash_end,
)
"""FarmHash's Fingerprint64."""


def _whole_words(size: Word) -> Word:
    return size & _WHOLE


def siphash(key: Sequence[int]) -> Hash:
    """SipHash-2-4 with a key of two words."""
    first, second = (word % 2**64 for word in key)
    return Hash((), 0, _sip_begin, _whole_words, 8, _sip_step, _sip_end, (first, second))


def _sip_begin(text: Bytes) -> State:
    k0, k1 = text.keys
    keys = (k0, k1, k0, k1)
    return tuple(key ^ np.uint64(one) for key, one in zip(keys, _SIP, strict=True))


def _sip_step(text: Bytes, place: Word, state: State) -> State:
    return _sip_word(text.word(place), state)


def _sip_word(word: Word, state: State) -> State:
    v0, v1, v2, v3 = state
    v0, v1, v2, v3 = _sip_rounds((v0, v1, v2, v3 ^ word), 2)
    return v0 ^ word, v1, v2, v3


def _sip_end(text: Bytes, state: State) -> Word:
    size = (text.size & np.uint64(0xFF)) << np.uint64(56)
    v0, v1, v2, v3 = _sip_word(text.tail() | size, state)
    v0, v1, v2, v3 = _sip_rounds((v0, v1, v2 ^ np.uint64(0xFF), v3), 4)
    return v0 ^ v1 ^ v2 ^ v3


def _sip_rounds(state: State, count: int) -> State:
    v = list(state)
    for _ in range(count):
        for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = v[a] + v[b]
            v[b] = rotated(v[b], 64 - first) ^ v[a]
            v[a] = rotated(v[a], 32)
            v[c] = v[c] + v[d]
            v[d] = rotated(v[d], 64 - second) ^ v[c]
    return tuple(v)


def _murmur_begin(text: Bytes) -> State:
    return ((text.size * _MURMUR) ^ _MURMUR_SEED,)


def _murmur_step(text: Bytes, place: Word, state: State) -> State:
    word = mixed(text.word(place) * _MURMUR) * _MURMUR
    return ((state[0] ^ word) * _MURMUR,)


def _murmur_end(text: Bytes, state: State) -> Word:
    with_tail = (state[0] ^ text.tail()) * _MURMUR
    result = text.choose(text.size & np.uint64(7), with_tail, state[0])
    return mixed(mixed(result) * _MURMUR)


MURMUR: Final = Hash((), 0, _murmur_begin, _whole_words, 8, _murmur_step, _murmur_end)
"""MurmurHash64A with TensorFlow's seed."""
