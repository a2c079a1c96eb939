"""What fills arrays with independent numbers of a stream, as TensorFlow draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.kernels.random import philox
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.parallel import split

BLOCKS_PER_OUTPUT: Final = 256
"""What an invocation takes of the stream for each output, so that rejection never runs out."""


def in_pieces(
    draw: Callable[[Philox, int], np.ndarray], group: tuple[int, int], length: int
) -> Callable[[Philox, int], np.ndarray]:
    """The function, making many numbers a stretch at a time, by several threads.

    Args:
      draw: Makes numbers from the start of a stream.
      group: How many numbers come of a stretch of the stream of so many blocks.
      length: How many are made together.
    """

    numbers, blocks = group

    def run(stream: Philox, count: int) -> np.ndarray:
        if count <= length:
            return draw(stream, count)
        found = np.empty(count, draw(stream, 1).dtype)

        def piece(first: int, last: int) -> None:
            for index in range(first, last):
                start = index * length
                size = min(length, count - start)
                found[start : start + size] = draw(stream.at(start // numbers * blocks), size)

        split(-(-count // length), 1, piece)
        return found

    return run


def interleaved(*columns: np.ndarray) -> np.ndarray:
    """The first elements of all, then the second ones, and so on."""
    return np.stack(columns, axis=1).reshape(-1)


def per_block(dtype: Any) -> int:
    """Numbers that a block of the stream makes."""
    return 2 if dtype == np.float64 else 4


def uniform(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    """Numbers from 0 to 1, of a type or, for those of 16 bits, of one that rounds to it."""
    if dtype == np.float64:

        def doubles(stream: Philox, count: int) -> np.ndarray:
            words = stream.blocks(-(-count // 2))
            first = philox.uniform_float64(words[0], words[1])
            second = philox.uniform_float64(words[2], words[3])
            return interleaved(first, second)[:count]

        return doubles
    if dtype == np.float16:
        return lambda s, n: philox.uniform_short(s.words(n), 10, 15, np.dtype(np.float16))
    if dtype == ml_dtypes.bfloat16:
        return lambda s, n: philox.uniform_short(s.words(n), 7, 127, np.dtype(ml_dtypes.bfloat16))

    def floats(stream: Philox, count: int) -> np.ndarray:
        words = stream.words(count)
        return philox.uniform_float32(words, out=words)

    return floats


def normal(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    """Standard normal numbers, of a type or, for those of 16 bits, of one that rounds to it."""
    if dtype == np.float64:
        return lambda s, n: interleaved(*philox.normal_float64(s.blocks(-(-n // 2))))[:n]

    def floats(stream: Philox, count: int) -> np.ndarray:
        words = stream.blocks(-(-count // 4))
        return interleaved(*normal_quads(words))[:count]

    return floats


def normal_quads(words: philox.Blocks) -> list[np.ndarray]:
    """Four normal numbers of each block."""
    return [
        *philox.normal_float32(words[0], words[1]),
        *philox.normal_float32(words[2], words[3]),
    ]


def truncated(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    """Like `normal`, within two deviations."""
    if dtype == np.float64:
        return lambda s, n: philox.truncated(
            s, n, 2, 2 * BLOCKS_PER_OUTPUT // 4, lambda w: list(philox.normal_float64(w))
        )
    return lambda s, n: philox.truncated(s, n, 4, BLOCKS_PER_OUTPUT, normal_quads)
