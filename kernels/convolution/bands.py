"""Cuts a convolution of an image into bands of rows, which are convolutions themselves."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from dataflow.kernels.convolution.plans import Geometry


@dataclass(frozen=True, slots=True)
class Band:
    """Some rows of the result."""

    read: slice
    """Rows of the image that they depend on."""
    written: slice
    geometry: Geometry
    """The convolution of those rows."""


def bands(geometry: Geometry, count: int) -> tuple[Band, ...]:
    """So many bands of about the same height; none if one of them would lie in the padding.

    Args:
      geometry: The convolution of a whole image.
      count: At most the rows of the result.
    """
    first, *others = geometry.windows
    edges = [index * first.output // count for index in range(count + 1)]
    found = []
    for start, stop in itertools.pairwise(edges):
        low = start * first.stride - first.before
        high = (stop - 1) * first.stride - first.before + first.extent
        read = slice(max(0, low), min(first.input, high))
        if read.stop <= read.start:
            return ()
        window = replace(
            first,
            input=read.stop - read.start,
            before=max(0, -low),
            after=max(0, high - first.input),
            output=stop - start,
        )
        own = replace(geometry, windows=(window, *others))
        found.append(Band(read, slice(start, stop), own))
    return tuple(found)
