"""Numbers, shapes and arrays at the edge of what makes sense, drawn by a `random.Random`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import dataflow as tf

SIZES = (0, 1, 2, 3, 7)
HUGE = (-1, -2, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63))
RANKS = (0, 1, 2, 3, 4, 5, 8, 16, 31, 32)
MANY = (33, 40, 64, 65, 100)
"""Ranks that are too many."""
_MOST = 4096
"""Elements of an array that is made."""
NUMBERS = tuple(
    tf.as_dtype(name)
    for name in (
        *("float32", "int32", "int64", "float64", "bool", "complex64", "float16", "bfloat16"),
        *("int8", "uint8", "int16", "uint16", "uint32", "uint64", "complex128"),
    )
)
FREQUENT = (tf.float32, tf.float32, tf.int32, tf.int64, tf.string, tf.bool)


def number(rng: Random) -> int:
    """An integer for a length, an axis or an attr."""
    return rng.choice(SIZES) if rng.random() < 0.8 else rng.choice(HUGE)


def rank(rng: Random) -> int:
    """A rank that is supported, most often a small one."""
    return rng.choice(RANKS[:6]) if rng.random() < 0.8 else rng.choice(RANKS)


def shape(rng: Random) -> tuple[int, ...]:
    """Sizes of an array that can be made."""
    sizes = [rng.choice(SIZES) if rng.random() < 0.6 else 1 for _ in range(rank(rng))]
    for place in range(len(sizes)):
        if math.prod(sizes) > _MOST:
            sizes[place] = 1
    return tuple(sizes)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an array is made: the same each time, and short to print.

    Attributes:
        dtype: Name of the element type.
        shape: Sizes.
        fill: "zeros", "ones", "range", "random", or "edges" of the type.
        layout: "plain", "turned" (the axes in memory), "stepped", "backwards", "repeated" (one
            element for all), "swapped" (bytes), "unaligned" or "frozen".
        seed: Of random values.
        values: The elements, if they are given.
    """

    dtype: str
    shape: tuple[int, ...]
    fill: str = "random"
    layout: str = "plain"
    seed: int = 0
    values: tuple[int, ...] = ()

    def array(self) -> np.ndarray[Any, Any]:
        """The array."""
        return _laid_out(_filled(self), self.layout)


FILLS = ("zeros", "ones", "range", "random", "random", "edges")
LAYOUTS = ("turned", "stepped", "backwards", "repeated", "swapped", "unaligned", "frozen")


def recipe(rng: Random, dtype: Any, sizes: tuple[int, ...] | None = None) -> Recipe:
    """A recipe for an array of an element type that numpy has."""
    sizes = shape(rng) if sizes is None else sizes
    layout = "plain" if rng.random() < 0.7 else rng.choice(LAYOUTS)
    return Recipe(dtype.name, sizes, rng.choice(FILLS), layout, rng.randrange(1000))


def sizes_recipe(rng: Random, dtype: Any) -> Recipe:
    """A recipe for a small vector or a scalar of integers: a shape, an axis, an index."""
    if rng.random() < 0.1:
        return Recipe(dtype.name, (rng.choice(MANY),), "ones")
    values = tuple(number(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 4))))
    if dtype is not tf.int64:
        values = tuple(max(min(value, dtype.max), dtype.min) for value in values)
    scalar = len(values) == 1 and rng.random() < 0.6
    return Recipe(dtype.name, () if scalar else (len(values),), values=values)


def _filled(made: Recipe) -> np.ndarray[Any, Any]:
    dtype = tf.as_dtype(made.dtype)
    kind = np.dtype(dtype.as_numpy_dtype)
    count = math.prod(made.shape)
    rng = np.random.default_rng(made.seed)
    if dtype == tf.string:
        texts = [b"", b"a", b"\xff\x00", b"long " * 9]
        flat = np.empty(count, object)
        flat[:] = [texts[i] for i in rng.integers(0, len(texts), count)]
    elif made.values:
        flat = np.array(made.values).astype(kind)
    elif made.fill == "zeros":
        flat = np.zeros(count, kind)
    elif made.fill == "ones":
        flat = np.ones(count, kind)
    elif made.fill == "range":
        flat = np.arange(count).astype(kind)
    elif made.fill == "edges":
        flat = np.resize(_edges(dtype), count).astype(kind)
    else:
        flat = rng.integers(-3 if dtype.is_integer and not dtype.is_unsigned else 0, 4, count)
        flat = flat.astype(kind)
    return flat.reshape(made.shape)


def _edges(dtype: Any) -> Any:
    if dtype.is_floating or dtype.is_complex:
        with np.errstate(all="ignore"):
            return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e-30]).astype(
                dtype.as_numpy_dtype
            )
    if dtype == tf.bool:
        return np.array([True, False])
    return np.array([dtype.min, dtype.max, 0, 1], dtype.as_numpy_dtype)


def _laid_out(array: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The same values, but for "repeated", elsewhere in memory."""
    if layout == "frozen":
        array.flags.writeable = False
    if array.dtype == object or layout in ("plain", "frozen"):
        return array
    if layout == "turned":
        return array.T.copy().T
    if layout == "repeated":
        return np.broadcast_to(array.reshape(-1)[:1].sum(dtype=array.dtype), array.shape)
    if layout == "swapped":
        return array.astype(array.dtype.newbyteorder()) if array.dtype.kind != "V" else array
    if layout == "unaligned":
        memory = np.empty(array.nbytes + 1, np.uint8)
        shifted = memory[1:].view(array.dtype).reshape(array.shape)
        shifted[...] = array
        return shifted
    if not array.ndim:
        return array
    if layout == "backwards":
        return np.ascontiguousarray(array[::-1])[::-1]
    return np.repeat(array, 2, axis=-1)[..., ::2]
