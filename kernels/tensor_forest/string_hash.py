"""The hash of strings that libstdc++ has: MurmurHash2 of 64 bits, unaligned, by Austin Appleby."""

from __future__ import annotations

from typing import Final

_FACTOR: Final = 0xC6A4A7935BD1E995
_SEED: Final = 0xC70F6907
_MASK: Final = (1 << 64) - 1


def string_hash(text: bytes) -> int:
    """What std::hash<std::string> gives."""
    found = _SEED ^ (len(text) * _FACTOR & _MASK)
    whole = len(text) & ~7
    for place in range(0, whole, 8):
        word = int.from_bytes(text[place : place + 8], "little")
        word = _mixed(word * _FACTOR & _MASK) * _FACTOR & _MASK
        found = (found ^ word) * _FACTOR & _MASK
    if whole < len(text):
        found = (found ^ int.from_bytes(text[whole:], "little")) * _FACTOR & _MASK
    found = _mixed(found) * _FACTOR & _MASK
    return _mixed(found)


def _mixed(word: int) -> int:
    return word ^ word >> 47
