"""The ten rounds of Philox4x32-10 (Salmon et al., SC 2011) over many counters at once.

A 64-bit product in memory is two 32-bit numbers, the low half first. Read from the second number
on, as 32-bit numbers, each product has its high half where another one has its low half: one pass
of `xor` over all halves does what would be a shift and a `xor`. What comes of the halves in between
is masked away. This needs a processor that stores the low half first, as those numpy is built
for nearly all do; `blocks_into` says so otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.workspace import workspace

FIRST: Final = 0xD2511F53
SECOND: Final = 0xCD9E8D57
KEY_STEPS: Final = (0x9E3779B9, 0xBB67AE85)
ROUNDS: Final = 10
LOW: Final = 2**32 - 1
_PADDING: Final = 24
"""Numbers between arrays, so that those read together differ in their place in a page."""


def _scalar(value: int) -> Any:
    """A number that a ufunc takes as it is: a third faster than a numpy scalar."""
    return np.array(value, np.uint64)


_M0, _M1, _MASK, _SHIFT = map(_scalar, (FIRST, SECOND, LOW, 32))
Keys = Sequence[tuple[int, int]]


def round_keys(key: int) -> Keys:
    """The two 32-bit keys of each round.

    Args:
      key: The 64-bit key of the generator.
    """
    low, high = key & LOW, key >> 32
    step_low, step_high = KEY_STEPS
    return [
        ((low + step_low * index) & LOW, (high + step_high * index) & LOW)
        for index in range(ROUNDS)
    ]


class _Halves:
    """An array of products, and its halves as 32-bit numbers."""

    __slots__ = ("high", "low", "whole")

    def __init__(self, whole: np.ndarray) -> None:
        self.whole = whole
        numbers = whole.view(np.uint32)
        self.high, self.low = numbers[1:], numbers[:-1]


def blocks_into(out: np.ndarray, offsets: np.ndarray, counter: int, keys: Keys) -> None:
    """Writes the four numbers of each block into the rows of `out`.

    Args:
      out: uint32 array of shape [4, n].
      offsets: uint64 distances of the blocks from `counter`, ascending, shape [n].
      counter: 128-bit number of the first block.
      keys: What `round_keys` gives.

    Raises:
      NotImplementedError: This processor stores the high half of a number first.
    """
    if sys.byteorder != "little":
        raise NotImplementedError("Seeded random numbers need a little-endian processor.")
    count = offsets.size
    buffer = workspace(np, "philox", (3, 2 * count + _PADDING), np.uint64)
    both = buffer[0, : 2 * count]
    x0, x2 = both[:count], both[count:]
    p0, p2, q0, q2 = (
        _Halves(buffer[row, start : start + count]) for row in (1, 2) for start in (0, count)
    )
    x0_place, x2_place = (x.view(np.uint32)[:-1] for x in (x0, x2))
    multiply, xor, mask = np.multiply, np.bitwise_xor, np.bitwise_and
    base, high = counter & (2**64 - 1), (counter >> 64) & (2**64 - 1)
    low = np.add(offsets, _scalar(base), buffer[1, :count])
    mask(low, _MASK, x0)
    np.right_shift(low, _SHIFT, q2.whole)
    first = 0
    if count and base + int(offsets[-1]) < 2**64:
        # The upper half of all counters is one number: so is one product of the first round.
        x2_product = (high & LOW) * SECOND
        multiply(x0, _M0, q0.whole)
        xor(q2.whole, _scalar((x2_product >> 32) ^ keys[0][0]), x0)
        np.right_shift(q0.whole, _SHIFT, x2)
        xor(x2, _scalar((high >> 32) ^ keys[0][1]), x2)
        q2.whole.fill(x2_product & LOW)
        first = 1
    else:
        upper = (low < offsets).astype(np.uint64) + np.uint64(high)
        mask(upper, _MASK, x2)
        np.right_shift(upper, _SHIFT, q0.whole)
    for key_low, key_high in keys[first:]:
        multiply(x0, _M0, p0.whole)
        multiply(x2, _M1, p2.whole)
        # q holds, in its low halves, what came out for x1 and x3 before.
        xor(p2.high, q2.low, x0_place)
        xor(p0.high, q0.low, x2_place)
        xor(x0, _scalar(key_low), x0)
        xor(x2, _scalar(key_high), x2)
        mask(both, _MASK, both)
        p0, p2, q0, q2 = q0, q2, p0, p2
    for row, word in zip(out, (x0, q2.whole, x2, q0.whole), strict=True):
        row[...] = word
