"""Philox4x32-10, the counter-based generator of Salmon et al. (SC 2011), over numpy arrays.

TensorFlow's random kernels draw from it, so the same seeds give the same numbers here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.random.philox_rounds import blocks_into, round_keys
from dataflow.kernels.random.turns import sine_and_cosine
from dataflow.kernels.threads.stopping import look

Blocks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""The four 32-bit numbers of each block, as uint32 arrays."""
Finish = Callable[[np.ndarray], Any]
"""Changes a uint32 array of shape [4, n], with the numbers of blocks in its columns."""

_CHUNK = 1 << 14
"""Blocks made at a time: their buffers (48 bytes a block) stay in a core's own cache; with four
times as many, a million blocks take 53 ms of an AVX-512 Xeon in place of 23."""
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
        out = np.empty((4, offsets.size), np.uint32)
        self._fill(out, offsets, start)
        return out[0], out[1], out[2], out[3]

    def _fill(
        self, out: np.ndarray, offsets: np.ndarray, start: int, finish: Finish | None = None
    ) -> None:
        """Writes the four numbers of each block into the rows of `out`.

        By one thread: its calls are so short that a second one waits for Python's lock as long as
        it works.
        """
        count, keys = offsets.size, round_keys(self._key)
        if self._length:
            stretches, places = np.divmod(offsets, np.uint64(self._length))
            offsets = stretches * np.uint64(self._skip) + places

        for low in range(0, count, _CHUNK):
            if low:
                look()
            window = slice(low, min(count, low + _CHUNK))
            blocks_into(out[:, window], offsets[window], self._counter + start, keys)
            if finish is not None:
                finish(out[:, window])

    def words(self, count: int, finish: Finish | None = None) -> np.ndarray:
        """The first `count` 32-bit numbers of the stream, one after the other.

        Args:
          count: How many.
          finish: Changes parts of them in place, while they are near.
        """
        blocks = -(-count // 4)
        found = np.empty((blocks, 4), np.uint32)
        self._fill(found.T, np.arange(blocks, dtype=np.uint64), 0, finish)
        return found.reshape(-1)[:count]


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


def normal_float32(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of standard normals from pairs of words, by the Box-Muller transform.

    Logarithm, sine and cosine are rounded from doubles, which is what a good libm gives.
    """
    radius = np.maximum(uniform_float32(first), np.float32(1e-7))
    angle = (2 * np.pi * uniform_float32(second).astype(np.float64)).astype(np.float32)
    length = np.sqrt(np.float32(-2) * np.log(radius.astype(np.float64)).astype(np.float32))
    sine, cosine = sine_and_cosine(angle.astype(np.float64))
    return sine.astype(np.float32) * length, cosine.astype(np.float32) * length


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
      pairs: Makes candidates from blocks: a list of arrays, in the order they are tried.
    """
    groups = -(-count // group)
    result = np.zeros((groups, group))
    filled = np.zeros(groups, np.int64)
    open_groups = np.arange(groups)
    block = 0
    while open_groups.size:
        offsets = open_groups.astype(np.uint64) * np.uint64(skip)
        for candidates in pairs(stream.blocks_at(offsets, block)):
            position = filled[open_groups]
            taken = (np.abs(candidates) < 2) & (position < group)
            result[open_groups[taken], position[taken]] = candidates[taken]
            filled[open_groups[taken]] += 1
        open_groups = open_groups[filled[open_groups] < group]
        block += 1
    return result.reshape(-1)[:count]
