"""Blocks of Philox, one number after the other."""

from __future__ import annotations


def block(counter: int, key: int) -> list[int]:
    """Philox4x32-10 as its authors write it, in whole numbers."""
    words = [counter >> (32 * i) & 0xFFFFFFFF for i in range(4)]
    low, high = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        first, second = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [
            second >> 32 ^ words[1] ^ low,
            second & 0xFFFFFFFF,
            first >> 32 ^ words[3] ^ high,
            first & 0xFFFFFFFF,
        ]
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return words
