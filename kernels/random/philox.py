"""Philox4x32-10, the counter-based generator of Salmon et al. (SC 2011), over numpy arrays.

TensorFlow's random kernels draw from it, so the same seeds give the same numbers here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from dataflow.kernels.random import compiled_rounds
from dataflow.kernels.random.compiled_rounds import FLOATS, ROWS, WORDS, write_blocks
from dataflow.kernels.random.philox_rounds import blocks_into, round_keys
from dataflow.kernels.threads.parallel import split
from dataflow.kernels.threads.stopping import look

Blocks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""The four 32-bit numbers of each block, as uint32 arrays."""

_CHUNK = 1 << 14
"""Blocks made at a time, worth a thread's while: 60 us. The buffers of numpy's calls (48 bytes a
block) stay in a core's own cache."""
_MASK64 = 2**64 - 1


class Philox:
    """A stream of 128-bit blocks; the position is the 128-bit counter."""

    __slots__ = ("_counter", "_key", "_length", "_skip")

    def __init__(self, seed: int, seed2: int, offset: int = 0) -> None:
        """Starts where TensorFlow's generator starts for an op with these two seed attrs."""
        self._key = seed & _MASK64
        self._counter = ((seed2 & _MASK64) << 64) + offset
        self._length = self._skip = 0

    def at(self, offset: int) -> Philox:
        """The stream from a later block on."""
        moved = Philox(0, 0)
        moved._key = self._key
        moved._counter = self._counter + offset
        return moved

    def repeated(self, length: int, skip: int) -> Philox:
        """The stretches of so many blocks that begin every `skip` blocks, one after the other."""
        chosen = self.at(0)
        chosen._length, chosen._skip = length, skip
        return chosen

    def blocks(self, count: int, start: int = 0, step: int = 1) -> Blocks:
        """Blocks number start, start + step, ..."""
        return self.blocks_at(np.arange(count, dtype=np.uint64) * np.uint64(step), start)

    def blocks_at(self, offsets: np.ndarray, start: int = 0) -> Blocks:
        """The blocks at these distances (uint64, ascending) from block number `start`."""
        out = self._make(ROWS, offsets.size, offsets, start)
        return out[0], out[1], out[2], out[3]

    def words(self, count: int) -> np.ndarray:
        """The first `count` 32-bit numbers of the stream, one after the other."""
        return self._make(WORDS, -(-count // 4)).reshape(-1)[:count]

    def floats(self, count: int) -> np.ndarray:
        """The first `count` float32 numbers from 0 to 1, as `uniform_float32` makes them."""
        return self._make(FLOATS, -(-count // 4)).reshape(-1)[:count].view(np.float32)

    def _make(
        self, form: str, count: int, offsets: np.ndarray | None = None, start: int = 0
    ) -> np.ndarray:
        """So many blocks in a form of `compiled_rounds`."""
        if self._length:
            wanted = np.arange(count, dtype=np.uint64) if offsets is None else offsets
            stretches, places = np.divmod(wanted, np.uint64(self._length))
            offsets = stretches * np.uint64(self._skip) + places
        least = compiled_rounds.width()
        size = max(count, least)
        if offsets is not None and count < size:
            offsets = np.resize(offsets, size) if count else np.zeros(size, np.uint64)
        out = np.empty((4, size) if form == ROWS else (size, 4), np.uint32)
        rows = out if form == ROWS else out.T

        def run(first: int, last: int) -> None:
            for low in range(first, last, _CHUNK):
                if low > first:
                    look()
                high = min(last, low + _CHUNK)
                low = max(0, min(low, high - least))
                if least:
                    part = None if offsets is None else offsets[low:high]
                    at = self._counter + start + (low if offsets is None else 0)
                    write_blocks(rows[:, low:high], form, part, at, self._key)
                else:
                    self._fill(rows[:, low:high], form, offsets, start, low)

        # Of numpy's calls a second thread waits for Python's lock as long as it works.
        split(size, _CHUNK if least else max(1, size), run)
        return rows[:, :count] if form == ROWS else out[:count]

    def _fill(
        self, rows: np.ndarray, form: str, offsets: np.ndarray | None, start: int, low: int
    ) -> None:
        """Does it by numpy's calls, from block number `low` on."""
        high = low + rows.shape[1]
        places = np.arange(low, high, dtype=np.uint64) if offsets is None else offsets[low:high]
        blocks_into(rows, places, self._counter + start, round_keys(self._key))
        if form == FLOATS:
            uniform_float32(rows.T, out=rows.T)


class GuardedPhilox:
    """The generator of an op: each invocation takes its own stretch of the stream."""

    def __init__(self, seed: int, seed2: int) -> None:
        self._stream = Philox(seed, seed2)
        self._taken = 0
        self._lock = threading.Lock()

    def reserve(self, blocks: int) -> Philox:
        """The stream of an invocation that may use this many blocks."""
        with self._lock:
            stream = self._stream.at(self._taken)
            self._taken += blocks
        return stream


def uniform_float32(words: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Floats in [0, 1) from the low 23 bits of each word; `out`, of uint32, is their memory."""
    bits = np.bitwise_and(words, np.uint32(0x7FFFFF), out=out)
    bits |= np.uint32(127 << 23)
    values: np.ndarray = bits.view(np.float32)
    values -= np.float32(1)
    return values


def uniform_float64(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Doubles in [0, 1) from the low 20 bits of the first word and all of the second."""
    bits = ((low & np.uint32(0xFFFFF)).astype(np.uint64) << np.uint64(32)) | high
    values: np.ndarray = (bits | np.uint64(1023 << 52)).view(np.float64) - 1.0
    return values


def uniform_short(
    words: np.ndarray, mantissa_bits: int, exponent: int, dtype: np.dtype
) -> np.ndarray:
    """16-bit floats in [0, 1) from the low bits of each word."""
    mask = np.uint16((1 << mantissa_bits) - 1)
    bits = (words.astype(np.uint16) & mask) | np.uint16(exponent << mantissa_bits)
    values: np.ndarray = bits.view(dtype) - np.ones((), dtype)
    return values


def normal_float64(words: Blocks) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of standard normals from blocks, by the Box-Muller transform."""
    radius = np.maximum(uniform_float64(words[0], words[1]), 1e-7)
    angle = 2 * np.pi * uniform_float64(words[2], words[3])
    length = np.sqrt(-2.0 * np.log(radius))
    return np.sin(angle) * length, np.cos(angle) * length


Pairs = Callable[[Blocks], list[np.ndarray]]


def truncated(stream: Philox, count: int, group: int, skip: int, pairs: Pairs) -> np.ndarray:
    """Normals within two standard deviations, by rejection.

    Each group of outputs draws from its own stretch of the stream, `skip` blocks long, so that
    groups can be made in any order.

    Args:
      stream: Where to draw from.
      count: How many outputs.
      group: Outputs in a group.
      skip: Blocks from one group to the next.
      pairs: Makes candidates from blocks: as many arrays as a group has outputs, in the order they
        are tried.
    """
    groups = np.arange(-(-count // group))
    tried = pairs(stream.blocks_at(_starts(groups, skip), 0))
    # Of most groups the first block gives all.
    result = np.stack(tried, axis=1).reshape(-1)
    groups = np.flatnonzero(np.logical_or.reduce([np.abs(one) >= 2 for one in tried]))
    tried = [candidates[groups] for candidates in tried]
    places, block = groups * group, 0
    ends = places + group
    while groups.size:
        for candidates in tried:
            is_taken = np.abs(candidates) < 2
            is_taken &= places < ends
            taken = np.flatnonzero(is_taken)
            result[places[taken]] = candidates[taken]
            places += is_taken
        still = np.flatnonzero(places < ends)
        groups, places, ends = groups[still], places[still], ends[still]
        block += 1
        if groups.size:
            tried = pairs(stream.blocks_at(_starts(groups, skip), block))
    return result[:count]


def _starts(groups: np.ndarray, skip: int) -> np.ndarray:
    """Where groups begin in the stream."""
    return groups.astype(np.uint64) * np.uint64(skip)
