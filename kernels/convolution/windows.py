"""Windows that slide over the spatial axes of an array: where they lie, and views of what they see.

Arrays have the batch first and the channels last: (batch, *spatial, channels).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.kernels.contract.invalid import invalid

Taps = tuple[tuple[tuple[int, ...], tuple[slice, ...]], ...]
"""Indices of taps, and what each of them sees."""


@dataclass(frozen=True, slots=True)
class Window:
    """How a window slides along one axis; sizes count elements."""

    input: int
    """Size of the axis, without padding."""
    size: int
    """Taps of the window."""
    stride: int
    dilation: int
    """Distance of two taps."""
    before: int
    """Padding in front."""
    after: int
    """Padding behind."""
    output: int
    """Number of places the window takes."""

    @property
    def extent(self) -> int:
        """Size of the window from its first to its last tap."""
        return (self.size - 1) * self.dilation + 1 if self.size else 0

    @property
    def padded(self) -> int:
        """Size of the axis with its padding."""
        return self.before + self.input + self.after

    def tap(self, index: int) -> slice:
        """What one tap sees of the padded axis, over all places of the window."""
        start = index * self.dilation
        return slice(start, start + max(0, (self.output - 1) * self.stride + 1), self.stride)

    @property
    def interior(self) -> slice:
        """The axis itself within the padded one."""
        return slice(self.before, self.before + self.input)


def make_window(
    input_size: int,
    size: int,
    stride: int,
    dilation: int,
    padding: bytes,
    explicit: tuple[int, int] = (0, 0),
) -> Window:
    """The window of an op with this padding: b"SAME", b"VALID" or b"EXPLICIT".

    Raises:
      InvalidArgumentError: The window is larger than the padded axis by more than a stride.
    """
    extent = (size - 1) * dilation + 1
    if padding == b"SAME":
        output = -(-input_size // stride)
        missing = max(0, (output - 1) * stride + extent - input_size)
        before, after = missing // 2, missing - missing // 2
    else:
        before, after = explicit if padding == b"EXPLICIT" else (0, 0)
        output = (input_size + before + after - extent + stride) // stride
    if output < 0:
        raise invalid(
            f"Computed output size would be negative: {output} [input_size: {input_size}, "
            f"effective_filter_size: {extent}, stride: {stride}]"
        )
    return Window(input_size, size, stride, dilation, before, after, output)


def is_padded(windows: Sequence[Window]) -> bool:
    """True if any axis has padding."""
    return any(w.before or w.after for w in windows)


def pad(xp: Any, array: Any, windows: Sequence[Window], value: Any) -> Any:
    """The array with its padding, filled with `value`; itself where there is none."""
    if not is_padded(windows):
        return array
    shape = (array.shape[0], *(w.padded for w in windows), array.shape[-1])
    padded = xp.full(shape, value, dtype=array.dtype)
    padded[interior(windows)] = array
    return padded


def interior(windows: Sequence[Window]) -> tuple[slice, ...]:
    """Index of the array within the padded one."""
    return (slice(None), *(w.interior for w in windows))


def outputs(windows: Sequence[Window]) -> tuple[int, ...]:
    """Spatial sizes of what the windows give."""
    return tuple(w.output for w in windows)


def sizes(windows: Sequence[Window]) -> tuple[int, ...]:
    """Taps along each axis."""
    return tuple(w.size for w in windows)


def taps(windows: Sequence[Window]) -> Taps:
    """Each tap in row-major order, with the index of what it sees of the padded array."""
    return _taps(tuple(windows))


@functools.lru_cache(maxsize=256)
def _taps(windows: tuple[Window, ...]) -> Taps:
    indices = itertools.product(*(range(w.size) for w in windows))
    return tuple(
        (index, (slice(None), *(w.tap(i) for w, i in zip(windows, index, strict=True))))
        for index in indices
    )
