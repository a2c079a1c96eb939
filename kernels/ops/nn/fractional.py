"""Kernels of pooling whose windows differ in size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.random.philox import GuardedPhilox, Philox, uniform_float64

_MOST_REPEATS = 64
"""How many words may be refused in a row; that many are never."""


class _Words:
    """The words of a stretch of a stream, one by one."""

    def __init__(self, stream: Philox, likely: int) -> None:
        self._words = stream.words(likely + _MOST_REPEATS)
        self._next = 0

    def take(self) -> int:
        """The next one."""
        self._next += 1
        return int(self._words[self._next - 1])

    def below(self, bound: int) -> int:
        """An integer from 0 up to the bound, all as likely."""
        if bound & (bound - 1) == 0:
            return self.take() & (bound - 1)
        refused = (2**32 - 1) % bound + 1
        for _ in range(_MOST_REPEATS):
            word = self.take()
            if word >= refused:
                break
        return word % bound


def _even_sizes(size: int, count: int, generator: GuardedPhilox) -> list[int]:
    """Sizes of windows that come of one number u: one begins at ceil(size / count * (i + u))."""
    ratio, least = size / count, size // count
    most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
    words = generator.reserve(1).words(2)
    u = float(uniform_float64(words[:1], words[1:])[0]) * most
    starts = [1, *(math.ceil(ratio * (i + u)) for i in range(1, count)), size + 1]
    return [after - before for before, after in itertools.pairwise(starts)]


def _random_sizes(size: int, count: int, generator: GuardedPhilox) -> list[int]:
    sizes = [size // count + (i < size % count) for i in range(count)]
    words = _Words(generator.reserve(-(-count // 4)), count)
    for index in range(count - 1):
        other = index + words.below(count - index)
        sizes[index], sizes[other] = sizes[other], sizes[index]
    return sizes


def _starts(size: int, count: int, generator: GuardedPhilox, even: bool) -> Any:
    """Where windows begin, and where the last one ends."""
    # TensorFlow draws the numbers even where all windows have one size.
    sizes = (_even_sizes if even else _random_sizes)(size, count, generator)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _windows(starts: Any, size: int, overlapping: bool) -> list[slice]:
    """What each window sees of a dimension."""
    return [
        slice(int(first), min(int(after) + overlapping, size))
        for first, after in itertools.pairwise(starts)
    ]


@kernel("FractionalMaxPool", "FractionalAvgPool", device="CPU")
def fractional_pool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    ratios = node.attr("pooling_ratio")
    if len(ratios) != 4:
        raise invalid("pooling_ratio field must specify 4 dimensions")
    for ratio in ratios:
        if not ratio >= 1:
            raise invalid(f"pooling_ratio cannot be smaller than 1, got: {ratio:g}")
    if ratios[0] != 1 or ratios[3] != 1:
        kind = "max" if node.op == "FractionalMaxPool" else "average"
        raise UnimplementedError(
            None,
            None,
            f"Fractional {kind} pooling is not yet supported on the batch nor channel dimension.",
        )
    seeds = node.attr("seed"), node.attr("seed2")
    fixed = node.attr("deterministic")
    if not fixed and any(seeds):
        raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
    even, overlapping = node.attr("pseudo_random"), node.attr("overlapping")
    greatest = node.op == "FractionalMaxPool"
    if fixed and not any(seeds):
        first, second = np.random.SeedSequence().generate_state(2)
        seeds = int(first) | 1, int(second)

    def run(value: Any) -> tuple[Any, Any, Any]:
        if value.ndim != 4:
            raise invalid("tensor_in must be 4-dimensional")
        for axis, (size, ratio) in enumerate(zip(value.shape, ratios, strict=True)):
            if size < ratio:
                raise invalid(
                    f"Pooling ratio is higher than input dimension size for dimension {axis}. "
                    f"Input dim size: {size} pooling ratio: {ratio:g}"
                )
        generator = GuardedPhilox(*(seeds if fixed else _free_seeds()))
        axes = []
        for axis in (1, 2):
            size = value.shape[axis]
            axes.append(_starts(size, math.floor(size / ratios[axis]), generator, even))
        found = value
        for axis, starts in zip((1, 2), axes, strict=True):
            found = _reduced(
                found, axis, _windows(starts, value.shape[axis], overlapping), greatest
            )
        if not greatest:
            found = _quotients(found, _counts(axes, value.shape, overlapping))
        return np.ascontiguousarray(found), *axes

    return run


def _free_seeds() -> tuple[int, int]:
    first, second = np.random.SeedSequence().generate_state(2)
    return int(first) | 1, int(second)


def _reduced(value: Any, axis: int, windows: Sequence[slice], greatest: bool) -> Any:
    reduce = np.max if greatest else np.sum
    whole = np.moveaxis(value, axis, 0)
    parts = [reduce(whole[window], axis=0) for window in windows]
    return np.moveaxis(np.stack(parts).astype(value.dtype), 0, axis)


def _counts(axes: Sequence[Any], shape: Sequence[int], overlapping: bool) -> Any:
    """How many elements each window has."""
    rows, columns = (
        np.array([w.stop - w.start for w in _windows(starts, size, overlapping)], np.int64)
        for starts, size in zip(axes, shape[1:3], strict=True)
    )
    return (rows[:, None] * columns)[:, :, None]


def _quotients(sums: Any, counts: Any) -> Any:
    if sums.dtype.kind == "f":
        return sums / counts.astype(sums.dtype)
    # Integers of C are divided toward 0.
    return (np.sign(sums) * (np.abs(sums) // counts)).astype(sums.dtype)


def _checked(sequence: Any, name: str, count: int, size: int) -> Any:
    """Where windows begin, which an input says.

    Raises:
      InvalidArgumentError: They are not so many, or not in the tensor.
    """
    if sequence.ndim != 1 or len(sequence) != count + 1:
        raise invalid(
            f"{name} must be a vector with {count + 1} elements, but has shape "
            f"{shape_text(sequence.shape)}"
        )
    if sequence[0] < 0 or sequence[-1] > size or np.any(np.diff(sequence) <= 0):
        raise invalid(f"{name} must increase from 0 to {size} at most")
    return sequence


@kernel("FractionalMaxPoolGrad", device="CPU")
def max_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    overlapping = node.attr("overlapping")

    def run(value: Any, pooled: Any, grad: Any, rows: Any, columns: Any) -> Any:
        if value.ndim != 4 or pooled.ndim != 4:
            raise invalid("orig_input and orig_output must be 4-dimensional")
        if grad.ndim != 4 or grad.shape != pooled.shape:
            raise invalid(
                f"out_backprop must have the shape of orig_output, {shape_text(pooled.shape)}, "
                f"but has {shape_text(grad.shape)}"
            )
        if (pooled.shape[0], pooled.shape[3]) != (value.shape[0], value.shape[3]):
            raise invalid("orig_output must have the batch and the channels of orig_input")
        sequences = [
            _checked(sequence, f"{name}_pooling_sequence", pooled.shape[axis], value.shape[axis])
            for axis, (name, sequence) in enumerate((("row", rows), ("col", columns)), 1)
        ]
        slices = [
            _windows(sequence, size, overlapping)
            for sequence, size in zip(sequences, value.shape[1:3], strict=True)
        ]
        result = np.zeros_like(value)
        batch, channels = np.ix_(range(value.shape[0]), range(value.shape[3]))
        for i, high in enumerate(slices[0]):
            for j, wide in enumerate(slices[1]):
                seen = value[:, high, wide]
                flat = seen.reshape(seen.shape[0], -1, seen.shape[3])
                places = np.argmax(flat, axis=1)
                if not np.array_equal(np.max(flat, axis=1), pooled[:, i, j]):
                    raise invalid("tensor_out_dup is not the same as tensor_out")
                row, column = np.divmod(places, wide.stop - wide.start)
                result[batch, row + high.start, column + wide.start, channels] += grad[:, i, j]
        return result

    return run


@kernel("FractionalAvgPoolGrad", device="CPU")
def avg_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    overlapping = node.attr("overlapping")

    def run(shape: Any, grad: Any, rows: Any, columns: Any) -> Any:
        if shape.shape != (4,):
            raise invalid("original input tensor shape must be 1-dimensional and 4 elements")
        sizes = shape.tolist()
        if grad.ndim != 4:
            raise invalid("out_backprop must be 4-dimensional")
        if (grad.shape[0], grad.shape[3]) != (sizes[0], sizes[3]):
            raise invalid("out_backprop must have the batch and the channels of the input")
        sequences = [
            _checked(sequence, f"{name}_pooling_sequence", grad.shape[axis], sizes[axis])
            for axis, (name, sequence) in enumerate((("row", rows), ("col", columns)), 1)
        ]
        ends = [int(sequence[-1]) for sequence in sequences]
        if any(size > end for size, end in zip(sizes[1:3], ends, strict=True)):
            raise invalid("The windows must end where the input does")
        shares = grad / _counts(sequences, sizes, overlapping)
        result = np.zeros(sizes, np.float64)
        slices = [
            _windows(sequence, size, overlapping)
            for sequence, size in zip(sequences, sizes[1:3], strict=True)
        ]
        for i, high in enumerate(slices[0]):
            for j, wide in enumerate(slices[1]):
                result[:, high, wide] += shares[:, i : i + 1, j : j + 1]
        return result.astype(grad.dtype)

    return run
