"""Places in a permutation, by a cipher of few bits that is applied until the result is in range.

The cipher is Simon (Beaulieu et al., 2013) with three words of key and few rounds; to walk along
its cycles until a number is small enough is due to Black and Rogaway, 2002.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_FEWEST_BITS: Final = 16
_MOST_BITS: Final = 64
_CONSTANT: Final = 0xFFFFFFFC
_SEQUENCE: Final = 0x7369F885192C0EF5
"""Its lowest bit goes into the fourth round's key, the next one into the fifth's."""


def places(index: Any, keys: Any, last: int, rounds: int) -> Any:
    """Where indices lie in a permutation of 0 to `last`.

    Args:
      index: uint64, at most `last`.
      keys: Three numbers of 32 bits for all, or rows of three, one for each index; uint64.
      last: The greatest index.
      rounds: Even, at least 4.
    """
    if not last:
        return np.zeros_like(index)
    bits = _bits(last)
    schedule = _schedule(keys, bits // 2, rounds)
    if bits == _FEWEST_BITS and keys.ndim == 1:
        # A walk has 2**16 / (last + 1) steps: they are looked up.
        table = _encrypted(np.arange(1 << bits, dtype=np.uint64), schedule, bits // 2)
        return _walked(index, last, lambda found, _: table[found & np.uint64((1 << bits) - 1)])
    return _walked(
        index,
        last,
        lambda found, rows: _encrypted(
            found, [key if not np.ndim(key) else key[rows] for key in schedule], bits // 2
        ),
    )


def _walked(index: Any, last: int, step: Any) -> Any:
    """The first place of each index's cycle, behind it, that is at most `last`."""
    found = step(index, slice(None))
    rows = np.flatnonzero(found > last)
    while rows.size:
        found[rows] = step(found[rows], rows)
        rows = rows[found[rows] > last]
    return found


def _bits(last: int) -> int:
    """How many bits the cipher has: even, and enough but for powers of two, as in TensorFlow."""
    bits = int(np.ceil(np.log2(float(last))))
    return min(max(bits + bits % 2, _FEWEST_BITS), _MOST_BITS)


def _schedule(keys: Any, width: int, rounds: int) -> list[Any]:
    """The key of each round, of `width` bits: numbers, or a number for each row of `keys`."""
    mask = np.uint64((1 << width) - 1)
    made = [keys[..., place] & mask for place in range(3)]
    for place in range(3, rounds):
        bit = _SEQUENCE >> (place - 3) & 1
        turned = _right(made[-1], 3, width) ^ _right(made[-1], 4, width)
        made.append((np.uint64(_CONSTANT ^ bit) & mask) ^ made[place - 3] ^ turned)
    return made


def _encrypted(numbers: Any, schedule: list[Any], width: int) -> Any:
    """The cipher's value of each number; bits of numbers beyond two words count for nothing."""
    mask = np.uint64((1 << width) - 1)
    left, right = numbers >> np.uint64(width) & mask, numbers & mask
    for first, second in zip(schedule[::2], schedule[1::2], strict=True):
        left = left ^ _mixed(right, width) ^ first
        right = right ^ _mixed(left, width) ^ second
    return left << np.uint64(width) | right


def _mixed(word: Any, width: int) -> Any:
    return (_left(word, 1, width) & _left(word, 8, width)) ^ _left(word, 2, width)


def _left(word: Any, by: int, width: int) -> Any:
    mask = np.uint64((1 << width) - 1)
    return (word << np.uint64(by) | word >> np.uint64(width - by)) & mask


def _right(word: Any, by: int, width: int) -> Any:
    return _left(word, width - by, width)
