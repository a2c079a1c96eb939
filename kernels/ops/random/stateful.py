"""Kernels of random ops: seeded ones draw TensorFlow's numbers, unseeded ones are quick."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random.classes import (
    blocks_of_classes,
    check_classes,
    chosen_classes,
    doubles,
)
from dataflow.kernels.random.draws import Draws
from dataflow.kernels.random.fills import (
    BLOCKS_PER_OUTPUT,
    Fill,
    group_of_truncated,
    many_normal,
    many_truncated,
    many_uniform,
    per_block,
)
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.shuffling import shuffled
from dataflow.kernels.random.sizes import sizes_of
from dataflow.kernels.random.stretches import in_stretches, made_in_stretches

_WORDS_OF_BLOCK = (4, 1)
"""Four words come of one block."""

_DOUBLES_OF_BLOCK = (2, 1)
"""Two doubles come of one block."""

Draw = Callable[[int], np.ndarray]
"""Makes that many numbers."""


def _seeds(node: KernelNode) -> tuple[int, int] | None:
    seeds = node.attr("seed"), node.attr("seed2")
    return None if seeds == (0, 0) else seeds


def _filled(
    node: KernelNode,
    xp: Any,
    seeded: Fill,
    group: tuple[int, int],
    free: Draw,
) -> Callable[..., Any]:
    """The callable of an op that fills a shape with independent numbers."""
    dtype = node.output_dtypes[0].as_numpy_dtype
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, seeded, group)
    seen: tuple[Any, tuple[int, ...]] = (None, ())

    def fill(shape: Any, *_: Any) -> Any:
        nonlocal seen
        known, sizes = seen
        if shape is not known:
            sizes = sizes_of(shape)
            if is_fixed(shape):
                seen = (shape, sizes)
        count = math.prod(sizes)
        if draws is None:
            values = free(count)
        else:
            values = draws.take(count, count * BLOCKS_PER_OUTPUT)
        return xp.asarray(values.astype(dtype, copy=False).reshape(sizes))

    return fill


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

    return _filled(node, xp, many_uniform(dtype), (per_block(dtype), 1), free)


@kernel("RandomStandardNormal", host_inputs=("shape",), grows=True)
def random_standard_normal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    generator, working = _quick(node)
    dtype = node.output_dtypes[0].as_numpy_dtype
    group = (per_block(dtype), 1)

    def free(count: int) -> np.ndarray:
        return in_stretches(generator.standard_normal, count, working)

    return _filled(node, xp, many_normal(dtype), group, free)


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

    def free(count: int) -> np.ndarray:
        return made_in_stretches(some, count)

    return _filled(node, xp, many_truncated(dtype), group_of_truncated(dtype), free)


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
        sizes = sizes_of(shape)
        count = math.prod(sizes)
        if not count:
            return xp.empty(sizes, dtype)
        if low >= high:
            raise InvalidArgumentError(None, None, f"Need minval < maxval, got {low} >= {high}")
        if draws is None:
            first, last = int(low), int(high)
            made = made_in_stretches(lambda n: free.integers(first, last, n, dtype), count)
            return xp.asarray(made.reshape(sizes))
        reserved = count * BLOCKS_PER_OUTPUT
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
        words = draws.take(size - 1, -(-(size - 1) // 4))
        return value[shuffled(words)]

    return shuffle


@kernel("Multinomial", host_inputs=("logits", "num_samples"))
def multinomial(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    seeds = _seeds(node)
    draws = None if seeds is None else Draws(seeds, doubles, _DOUBLES_OF_BLOCK)
    free = np.random.Generator(np.random.SFC64())

    def draw(logits: Any, num_samples: Any) -> Any:
        check_classes(logits, num_samples)
        rows, count = len(logits), int(num_samples)
        if draws is None:
            places = in_stretches(free.random, rows * count, np.float64)
        else:
            places = draws.take(rows * count, blocks_of_classes(rows, count))
        return xp.asarray(chosen_classes(logits, places.reshape(rows, count), dtype))

    return draw
