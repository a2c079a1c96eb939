"""Kernels of random ops: seeded ones draw TensorFlow's numbers, unseeded ones are quick."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random import philox
from dataflow.kernels.random.draws import Draws
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.stretches import in_stretches, made_in_stretches
from dataflow.kernels.threads.parallel import split
from dataflow.kernels.threads.stopping import look

_BLOCKS_PER_OUTPUT = 256
"""What an invocation takes of the stream for each output, so that rejection never runs out."""

_WORDS_OF_BLOCK = (4, 1)
"""Four words come of one block."""

_DOUBLES_OF_BLOCK = (2, 1)
"""Two doubles come of one block."""

_COMPARED = 1 << 12
"""Comparisons up to which making them all is faster than a search for each row."""

_PIECE = 1 << 16
"""Numbers made together, where much is done with each,"""
_LONG_PIECE = 1 << 18
"""and where little is: short passes of several threads wait for Python's lock."""

Draw = Callable[[int], np.ndarray]
"""Makes that many numbers."""


def _seeds(node: KernelNode) -> tuple[int, int] | None:
    seeds = node.attr("seed"), node.attr("seed2")
    return None if seeds == (0, 0) else seeds


def _shape(value: Any) -> tuple[int, ...]:
    array = np.asarray(value)
    if array.ndim > 1:
        raise InvalidArgumentError(
            None, None, f"shape must be a vector of {{int32,int64}}, got shape {list(array.shape)}"
        )
    sizes = tuple(int(n) for n in array.reshape(-1))
    for index, size in enumerate(sizes):
        if size < 0:
            raise InvalidArgumentError(
                None, None, f"Dimension {index} in shape {list(sizes)} must be >= 0, but is {size}"
            )
    return sizes


def _in_pieces(
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


def _filled(
    node: KernelNode,
    xp: Any,
    seeded: Callable[[Philox, int], np.ndarray],
    group: tuple[int, int],
    free: Draw,
    length: int = _PIECE,
) -> Callable[..., Any]:
    """The callable of an op that fills a shape with independent numbers."""
    dtype = node.output_dtypes[0].as_numpy_dtype
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, _in_pieces(seeded, group, length), group)
    seen: tuple[Any, tuple[int, ...]] = (None, ())

    def fill(shape: Any, *_: Any) -> Any:
        nonlocal seen
        known, sizes = seen
        if shape is not known:
            sizes = _shape(shape)
            if is_fixed(shape):
                seen = (shape, sizes)
        count = math.prod(sizes)
        if draws is None:
            values = free(count)
        else:
            values = draws.take(count, count * _BLOCKS_PER_OUTPUT)
        return xp.asarray(values.astype(dtype, copy=False).reshape(sizes))

    return fill


def _interleaved(*columns: np.ndarray) -> np.ndarray:
    return np.stack(columns, axis=1).reshape(-1)


def _per_block(dtype: Any) -> int:
    """Numbers that a block of the stream makes."""
    return 2 if dtype == np.float64 else 4


def _uniform(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    if dtype == np.float64:

        def doubles(stream: Philox, count: int) -> np.ndarray:
            words = stream.blocks(-(-count // 2))
            first = philox.uniform_float64(words[0], words[1])
            second = philox.uniform_float64(words[2], words[3])
            return _interleaved(first, second)[:count]

        return doubles
    if dtype == np.float16:
        return lambda s, n: philox.uniform_short(s.words(n), 10, 15, np.dtype(np.float16))
    if dtype == ml_dtypes.bfloat16:
        return lambda s, n: philox.uniform_short(s.words(n), 7, 127, np.dtype(ml_dtypes.bfloat16))

    def floats(stream: Philox, count: int) -> np.ndarray:
        words = stream.words(count)
        return philox.uniform_float32(words, out=words)

    return floats


def _normal(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    if dtype == np.float64:
        return lambda s, n: _interleaved(*philox.normal_float64(s.blocks(-(-n // 2))))[:n]

    def floats(stream: Philox, count: int) -> np.ndarray:
        words = stream.blocks(-(-count // 4))
        return _interleaved(*_normal_quads(words))[:count]

    return floats


def _normal_quads(words: philox.Blocks) -> list[np.ndarray]:
    return [
        *philox.normal_float32(words[0], words[1]),
        *philox.normal_float32(words[2], words[3]),
    ]


def _truncated(dtype: Any) -> Callable[[Philox, int], np.ndarray]:
    if dtype == np.float64:
        return lambda s, n: philox.truncated(
            s, n, 2, 2 * _BLOCKS_PER_OUTPUT // 4, lambda w: list(philox.normal_float64(w))
        )
    return lambda s, n: philox.truncated(s, n, 4, _BLOCKS_PER_OUTPUT, _normal_quads)


def _quick(node: KernelNode) -> tuple[np.random.Generator, Any]:
    wide = node.output_dtypes[0].as_numpy_dtype == np.float64
    return np.random.Generator(np.random.SFC64()), np.float64 if wide else np.float32


@kernel("RandomUniform", host_inputs=("shape",), grows=True)
def random_uniform(node: KernelNode, xp: Any) -> Callable[..., Any]:
    generator, working = _quick(node)
    dtype = node.output_dtypes[0].as_numpy_dtype
    largest = np.float32(np.nextafter(np.ones((), dtype), np.zeros((), dtype)))

    def free(count: int) -> np.ndarray:
        values = in_stretches(generator.random, count, working)
        if dtype not in (np.float32, np.float64):
            # Rounding to few bits must not reach 1.
            values = np.minimum(values, largest)
        return values

    return _filled(node, xp, _uniform(dtype), (_per_block(dtype), 1), free, _LONG_PIECE)


@kernel("RandomStandardNormal", host_inputs=("shape",), grows=True)
def random_standard_normal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    generator, working = _quick(node)
    dtype = node.output_dtypes[0].as_numpy_dtype
    group = (_per_block(dtype), 1)

    def free(count: int) -> np.ndarray:
        return in_stretches(generator.standard_normal, count, working)

    return _filled(node, xp, _normal(dtype), group, free)


@kernel("TruncatedNormal", host_inputs=("shape",), grows=True)
def truncated_normal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    generator, working = _quick(node)

    def some(count: int) -> np.ndarray:
        values = generator.standard_normal(count, working)
        outside = np.flatnonzero(np.abs(values) >= 2)
        while outside.size:
            values[outside] = generator.standard_normal(outside.size, working)
            outside = outside[np.abs(values[outside]) >= 2]
        return values

    dtype = node.output_dtypes[0].as_numpy_dtype
    numbers = _per_block(dtype)
    group = (numbers, numbers * _BLOCKS_PER_OUTPUT // 4)

    def free(count: int) -> np.ndarray:
        return made_in_stretches(some, count)

    return _filled(node, xp, _truncated(dtype), group, free)


@kernel("RandomUniformInt", host_inputs=("shape", "minval", "maxval"), grows=True)
def random_uniform_int(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, Philox.words, _WORDS_OF_BLOCK)
    free = np.random.Generator(np.random.SFC64())

    def fill(shape: Any, low: Any, high: Any) -> Any:
        if np.ndim(low) or np.ndim(high):
            name, value = ("minval", low) if np.ndim(low) else ("maxval", high)
            raise InvalidArgumentError(
                None, None, f"{name} must be 0-D, got shape {list(np.shape(value))}"
            )
        sizes = _shape(shape)
        count = math.prod(sizes)
        if not count:
            return xp.empty(sizes, dtype)
        if low >= high:
            raise InvalidArgumentError(None, None, f"Need minval < maxval, got {low} >= {high}")
        if draws is None:
            first, last = int(low), int(high)
            made = made_in_stretches(lambda n: free.integers(first, last, n, dtype), count)
            return xp.asarray(made.reshape(sizes))
        reserved = count * _BLOCKS_PER_OUTPUT
        span = unsigned.type((int(high) - int(low)) % 2 ** (8 * dtype.itemsize))
        if dtype.itemsize == 4:
            bits = draws.take(count, reserved)
        else:
            words = draws.take(2 * count, reserved).astype(np.uint64)
            bits = words[0::2] | (words[1::2] << np.uint64(32))
        values = (bits % span).view(dtype) + dtype.type(low)
        return xp.asarray(values.reshape(sizes))

    return fill


@kernel("RandomShuffle")
def random_shuffle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, Philox.words, _WORDS_OF_BLOCK)
    free = np.random.Generator(np.random.SFC64())

    def shuffle(value: Any) -> Any:
        if np.ndim(value) == 0 or len(value) < 2:
            return value
        size = len(value)
        if draws is None:
            return value[free.permutation(size)]
        words = draws.take(size - 1, -(-(size - 1) // 4)).tolist()
        order = list(range(size))
        for index, word in enumerate(words):
            other = index + word % (size - index)
            order[index], order[other] = order[other], order[index]
        return value[order]

    return shuffle


@kernel("Multinomial", host_inputs=("num_samples",))
def multinomial(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, _doubles, _DOUBLES_OF_BLOCK)
    free = np.random.Generator(np.random.SFC64())

    def draw(logits: Any, num_samples: Any) -> Any:
        check_multinomial(logits, num_samples)
        rows, count = len(logits), int(num_samples)
        totals, are_finite = running_weights(np.asarray(logits).astype(np.float64))
        if draws is None:
            uniform = in_stretches(free.random, rows * count, np.float64).reshape(rows, count)
        else:
            # Two words make a double, and rows start at a whole block.
            reserved = rows * (-(-count // 4) * 4) * 2 * _BLOCKS_PER_OUTPUT
            uniform = draws.take(rows * count, reserved).reshape(rows, count)
        targets = uniform * totals[:, -1:]
        if are_finite and count * totals.size <= _COMPARED:
            # How many totals a target has reached is its place among them.
            reached = totals[:, None, :] <= targets[:, :, None]
            return xp.asarray(np.add.reduce(reached, 2, dtype))
        picks = np.empty((rows, count), dtype)
        for pick, total, target in zip(picks, totals, targets, strict=True):
            look()
            pick[:] = total.searchsorted(target, "right")
        return xp.asarray(picks)

    return draw


def _doubles(stream: Philox, count: int) -> np.ndarray:
    """Doubles in [0, 1), each of the next two words."""
    words = stream.words(2 * count)
    return philox.uniform_float64(words[0::2], words[1::2])


def running_weights(logits: np.ndarray) -> tuple[np.ndarray, bool]:
    """Running sums of the classes' weights, and whether all are finite.

    Logits that are not finite weigh nothing.
    """
    # Minus infinity alone needs no care: its exponential is 0.
    largest = np.maximum.reduce(logits, axis=1, keepdims=True, initial=-np.inf)
    totals = np.add.accumulate(np.exp(logits - largest), 1)
    if _is_finite(totals[:, -1]):
        return totals, True
    logits = np.where(np.isfinite(logits), logits, -np.inf)
    largest = logits.max(axis=1, keepdims=True, initial=-np.inf)
    totals = np.cumsum(np.exp(logits - largest), axis=1)
    return totals, _is_finite(totals[:, -1])


def _is_finite(vector: np.ndarray) -> bool:
    return math.isfinite(vector.dot(vector))


def check_multinomial(logits: Any, num_samples: Any) -> None:
    if np.ndim(logits) != 2:
        raise InvalidArgumentError(
            None, None, f"logits should be a matrix, got shape {list(np.shape(logits))}"
        )
    if np.ndim(num_samples) != 0:
        raise InvalidArgumentError(
            None, None, f"num_samples should be a scalar, got shape {list(np.shape(num_samples))}"
        )
    if num_samples < 0:
        raise InvalidArgumentError(
            None, None, f"num_samples should be non-negative, got {num_samples}"
        )
    if logits.shape[1] <= 0:
        raise InvalidArgumentError(
            None, None, f"num_classes should be positive, got {logits.shape[1]}"
        )
