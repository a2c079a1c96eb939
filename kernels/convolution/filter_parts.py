"""Gradients of filters in parts, each for some of the output channels.

Sums over some of the images each, added up in the end, cost as much as the filters are large, and
there are as few of them as there are places. Parts by channels are of the bits of the whole, but
each reads all images and copies its channels: that pays where much is computed for each number.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.plans import KEPT, CompiledConvolution, Geometry, plan
from dataflow.kernels.convolution.windows import sizes
from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import CONVOLVE_FILTER, FLOAT32
from dataflow.kernels.threads.parallel import split

_PARTS: Final = 8
"""Parts at most: as many for each of two, four or eight threads."""
_WIDE: Final = 64
_LEAST: Final = 32
"""Channels of a part, if there are so many, and at least."""
_MUCH: Final = 128
_TAPS: Final = 9
"""Numbers of an image, and places, that one of a result depends on: from there on it pays, whatever
the sizes."""
_TIMES: Final = 4
"""Otherwise the images have at most so many times as many numbers as the filters."""


class FilterParts:
    """The parts for images and filters of given shapes."""

    def __init__(
        self, whole: CompiledConvolution, count: int, images: int, geometry: Geometry
    ) -> None:
        """Compiles them; see `parts_for`."""
        self._plan = whole
        self.count: Final = count
        """How many there are."""
        self._shape = geometry.filters
        self._slopes = (images, *geometry.result[:-1], geometry.width // count)
        self._write = whole.writer(geometry)

    def run(self, x: Any, dy: Any) -> Any:
        """The gradient.

        Args:
          x: (batch, *spatial, channels); elements lie side by side.
          dy: (batch, *places, width).
        """
        result = aligned.empty(self._shape, FLOAT32)
        at_x, at_result, width = address_of(x), address_of(result), self._slopes[-1]

        def do(first: int, last: int) -> None:
            slopes = workspace(np, "oneDNN slopes", self._slopes, FLOAT32)
            own = workspace(np, "oneDNN part", (self._plan.filter_bytes,), np.uint8)
            at_slopes, at_own = address_of(slopes), address_of(own)
            for start in range(first * width, last * width, width):
                np.copyto(slopes, dy[..., start : start + width])
                self._plan.primitive.run(at_x, at_slopes, at_own)
                self._write.run(at_own, at_result + FLOAT32.itemsize * start)

        split(self.count, 1, do)
        return result


@functools.lru_cache(maxsize=KEPT)
def parts_for(geometry: Geometry, images: int) -> FilterParts | None:
    """The parts; None where others are faster, or oneDNN has no code for these."""
    if not _pays(geometry, images):
        return None
    most = min(_PARTS, max(geometry.width // _WIDE, 2))
    count = 1 << most.bit_length() - 1
    width = geometry.width // count
    if geometry.width % (count * _LEAST):
        return None
    whole = plan(CONVOLVE_FILTER, replace(geometry, width=width), images)
    return None if whole is None else FilterParts(whole, count, images, geometry)


def _pays(geometry: Geometry, images: int) -> bool:
    taps = math.prod(sizes(geometry.windows))
    if geometry.channels != geometry.depth or taps * geometry.depth < _MUCH:
        return False
    size = images * math.prod(geometry.source)
    return taps >= _TAPS or size <= _TIMES * math.prod(geometry.filters)
