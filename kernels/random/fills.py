"""What fills arrays with independent numbers of a stream, as TensorFlow draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.kernels.random import philox
from dataflow.kernels.random.normal_pairs import normal_pairs
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.parallel import split

Fill = Callable[[Philox, int], np.ndarray]
"""Makes so many numbers from the start of a stream."""
_PIECE: Final = 1 << 16
"""Numbers made together, where much is done with each,"""
_LONG_PIECE: Final = 1 << 18
"""and where little is: short passes of several threads wait for Python's lock."""
BLOCKS_PER_OUTPUT: Final = 256
"""What an invocation takes of the stream for each output, so that rejection never runs out."""


def in_pieces(draw: Fill, group: tuple[int, int], length: int) -> Fill:
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


def many_uniform(dtype: Any) -> Fill:
    """`uniform`, for any number of them; those of float32 are made by several threads anyway."""
    draw = uniform(dtype)
    return draw if dtype == np.float32 else in_pieces(draw, (per_block(dtype), 1), _LONG_PIECE)


def many_normal(dtype: Any) -> Fill:
    """`normal`, for any number of them."""
    return in_pieces(normal(dtype), (per_block(dtype), 1), _PIECE)


def many_truncated(dtype: Any) -> Fill:
    """`truncated`, for any number of them."""
    return in_pieces(truncated(dtype), group_of_truncated(dtype), _PIECE)


def group_of_truncated(dtype: Any) -> tuple[int, int]:
    """How many truncated normals come of a stretch of the stream of so many blocks."""
    numbers = per_block(dtype)
    return numbers, numbers * BLOCKS_PER_OUTPUT // 4


def interleaved(*columns: np.ndarray) -> np.ndarray:
    """The first elements of all, then the second ones, and so on."""
    return np.stack(columns, axis=1).reshape(-1)


def per_block(dtype: Any) -> int:
    """Numbers that a block of the stream makes."""
    return 2 if dtype == np.float64 else 4


def uniform(dtype: Any) -> Fill:
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

    return Philox.floats


def normal(dtype: Any) -> Fill:
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
        *normal_pairs(philox.uniform_float32(words[0]), philox.uniform_float32(words[1])),
        *normal_pairs(philox.uniform_float32(words[2]), philox.uniform_float32(words[3])),
    ]


def truncated(dtype: Any) -> Fill:
    """Like `normal`, within two deviations."""
    if dtype == np.float64:
        return lambda s, n: philox.truncated(
            s, n, 2, 2 * BLOCKS_PER_OUTPUT // 4, lambda w: list(philox.normal_float64(w))
        )
    return lambda s, n: philox.truncated(s, n, 4, BLOCKS_PER_OUTPUT, normal_quads)
