"""Axes that a window covers whole: what it sees there are further channels, and lies as such.

A filter over words that is as wide as their vectors, or one as large as what is left of an image,
takes one place on such an axis. oneDNN has slow code for gradients of the former (300 times as slow
for one channel), and takes twice a product's time and more for the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from dataflow.kernels.convolution.windows import Window

_ONE: Final = Window(input=1, size=1, stride=1, dilation=1, before=0, after=0, output=1)


class Folded(NamedTuple):
    """A convolution of the same arrays whose last axes may have become channels."""

    windows: tuple[Window, ...]
    channels: int
    depth: int
    """Input channels of a filter."""


def folded(windows: Sequence[Window], channels: int, depth: int) -> Folded:
    """The last axes that are covered whole become channels; none where these fall into groups."""
    kept = list(windows)
    if channels != depth:
        return Folded(tuple(kept), channels, depth)
    for axis in reversed(range(len(kept))):
        window = kept[axis]
        if not window.input == window.padded == window.size == window.extent:
            break
        kept[axis] = _ONE
        depth *= window.size
    return Folded(tuple(kept), depth, depth)


def lengthwise(windows: Sequence[Window]) -> tuple[Window, ...]:
    """The only axis that windows slide along becomes the last; all arrays lie as they did.

    oneDNN computes neighbours along the last axis together: elsewhere it takes two to four times as
    long, with filters that are as wide as words' vectors, or of one tap on the last axis.
    """
    sliding = [window for window in windows if window != _ONE]
    if len(sliding) != 1:
        return tuple(windows)
    return (*[_ONE] * (len(windows) - 1), *sliding)


def is_one_place(windows: Sequence[Window]) -> bool:
    """Whether windows that are folded see one place of one tap: a product of matrices."""
    return all(window == _ONE for window in windows)
