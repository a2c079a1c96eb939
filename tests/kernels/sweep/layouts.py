"""How an operand may lie in memory: all that numpy lets a program feed, and that views make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Shape = tuple[int, ...]
Fill = Callable[[Shape], np.ndarray]
"""Makes values of a shape, in C order."""
Layout = Callable[[Fill, Shape, np.random.Generator], np.ndarray]
"""Makes an operand of a shape, filled so."""


def _plain(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    return fill(shape)


def _read_only(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    array = fill(shape)
    array.flags.writeable = False
    return array


def _turned(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    order = random.permutation(len(shape))
    return fill(tuple(shape[i] for i in order)).transpose(np.argsort(order))


def _columns_first(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    return np.array(fill(shape), order="F")


def _backwards(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    return fill(shape)[tuple(slice(None, None, random.choice([1, -1])) for _ in shape)]


def _stepped(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    steps = [int(random.choice([1, 1, 2, 3])) for _ in shape]
    array = fill(tuple(n * step for n, step in zip(shape, steps, strict=True)))
    return array[tuple(slice(None, None, step) for step in steps)]


def _part(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    before = [int(random.integers(0, 3)) for _ in shape]
    after = [int(random.integers(0, 3)) for _ in shape]
    array = fill(tuple(a + n + b for a, n, b in zip(before, shape, after, strict=True)))
    return array[tuple(slice(a, a + n) for a, n in zip(before, shape, strict=True))]


def _repeated(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    return np.broadcast_to(fill(tuple(random.choice([1, n]) for n in shape)), shape)


def _overlapping(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    steps = [int(random.integers(0, 4)) for _ in shape]
    if len(shape) > 1 and random.random() < 0.5:
        steps[int(random.integers(0, len(shape) - 1))] = max(1, shape[-1])
    reach = sum(max(0, n - 1) * step for n, step in zip(shape, steps, strict=True))
    flat = fill((reach + 1,))
    strides = tuple(step * flat.itemsize for step in steps)
    return np.lib.stride_tricks.as_strided(flat, shape, strides, writeable=False)


def _misaligned(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    array = fill(shape)
    offset = int(random.choice([1, 2, 4]))
    view: np.ndarray = np.empty(array.nbytes + offset, np.uint8)[offset:].view(array.dtype)
    view = view.reshape(shape)
    view[...] = array
    return view


def _field(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    """A field of records whose size is no multiple of the element's."""
    array = fill(shape)
    record = np.dtype([("pad", "u1", (int(random.integers(1, 4)),)), ("x", array.dtype)])
    view: np.ndarray = np.zeros(shape, record)["x"]
    view[...] = array
    return view


def _swapped(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    array = fill(shape)
    return array.astype(array.dtype.newbyteorder())


def _odd_ones(fill: Fill, shape: Shape, random: np.random.Generator) -> np.ndarray:
    """Along axes of 1 and 0 strides mean nothing, and may be anything."""
    array = fill(shape)
    drawn = random.integers(-5, 6, len(shape))
    strides = tuple(
        own if n > 1 else int(other) * array.itemsize
        for n, own, other in zip(shape, array.strides, drawn, strict=True)
    )
    return np.lib.stride_tricks.as_strided(array, shape, strides)


LAYOUTS: Final[dict[str, Layout]] = {
    "plain": _plain,
    "read-only": _read_only,
    "turned": _turned,
    "columns first": _columns_first,
    "backwards": _backwards,
    "stepped": _stepped,
    "part": _part,
    "repeated": _repeated,
    "overlapping": _overlapping,
    "misaligned": _misaligned,
    "field of records": _field,
    "bytes swapped": _swapped,
    "odd strides of ones": _odd_ones,
}


def _steps(tf: Any, fed: Any, rank: int, step: slice) -> Any:
    return fed[(step,) * rank] if rank else fed


def _spread(array: np.ndarray) -> np.ndarray:
    wide = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    wide[(slice(1, None, 2),) * array.ndim] = array
    return wide


VIEWS: Final[dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[..., Any]]]] = {
    "fed": (lambda array: array, lambda tf, fed, rank: fed),
    "transposed": (
        lambda array: np.array(array.T, order="C"),
        lambda tf, fed, rank: tf.transpose(fed),
    ),
    "reversed": (
        lambda array: np.array(array[(slice(None, None, -1),) * array.ndim], order="C"),
        lambda tf, fed, rank: _steps(tf, fed, rank, slice(None, None, -1)),
    ),
    "sliced": (_spread, lambda tf, fed, rank: _steps(tf, fed, rank, slice(1, None, 2))),
}
"""Views that kernels make: what is fed, and what the graph does with it to get the operand."""
