"""Depthwise convolutions, where channels stay apart, and their gradients.

Arrays are (batch, *spatial, channels), filters (*taps, channels, multiplier); the output has
channels * multiplier channels, those of one input channel side by side. Images are taken one at a
time, so that what the taps pass over stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.kernels.windows import Window, interior, is_padded, outputs, pad, sizes, taps
from dataflow.kernels.workspace import workspace


def convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """Each channel convolved with `multiplier` filters of its own."""
    channels, multiplier = filters.shape[-2:]
    spatial = outputs(windows)
    result = xp.zeros((x.shape[0], *spatial, channels, multiplier), dtype=x.dtype)
    if result.size and x.size:
        product = workspace(xp, "product", result.shape[1:], x.dtype)
        for image in range(x.shape[0]):
            padded = pad(xp, x[image : image + 1], windows, 0)
            for index, seen in taps(windows):
                xp.multiply(padded[seen][0][..., None], filters[index], out=product)
                result[image] += product
    return result.reshape(x.shape[0], *spatial, channels * multiplier)


def input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the input."""
    multiplier = filters.shape[-1]
    result = xp.zeros((dy.shape[0], *(w.input for w in windows), channels), dtype=dy.dtype)
    if not (result.size and dy.size):
        return result
    slopes = dy.reshape(*dy.shape[:-1], channels, multiplier)
    padded_shape = (1, *(w.padded for w in windows), channels)
    for image in range(dy.shape[0]):
        if is_padded(windows):
            padded = workspace(xp, "padded", padded_shape, dy.dtype)
            padded.fill(0)
        else:
            padded = result[image : image + 1]
        for index, seen in taps(windows):
            target = padded[seen][0]
            if multiplier == 1:
                target += slopes[image, ..., 0] * filters[index][..., 0]
            else:
                target += (slopes[image] * filters[index]).sum(axis=-1)
        if is_padded(windows):
            result[image] = padded[interior(windows)][0]
    return result


def filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window], multiplier: int) -> Any:
    """The gradient of the filters."""
    channels = x.shape[-1]
    result = xp.zeros((*sizes(windows), channels, multiplier), dtype=dy.dtype)
    if not (x.size and dy.size):
        return result
    slopes = dy.reshape(*dy.shape[:-1], channels, multiplier)
    axes = tuple(range(len(windows)))
    for image in range(x.shape[0]):
        padded = pad(xp, x[image : image + 1], windows, 0)
        for index, seen in taps(windows):
            result[index] += (padded[seen][0][..., None] * slopes[image]).sum(axis=axes)
    return result
