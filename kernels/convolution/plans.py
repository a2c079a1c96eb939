"""What oneDNN makes for a convolution of given shapes, kept for the next call."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.windows import Window, outputs, sizes
from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import (
    CONVOLVE,
    CONVOLVE_INPUT,
    FLOAT32,
    TRAINING,
    Library,
    Threads,
    compiled,
)
from dataflow.kernels.onednn.primitive import (
    BIAS,
    RELU,
    RESULT,
    RESULT_GRADIENT,
    SOURCE,
    SOURCE_GRADIENT,
    WEIGHTS,
    WEIGHTS_GRADIENT,
    Description,
    Layout,
    PostOperation,
    Primitive,
    dense,
    dims,
    reorder,
)

_DIRECT: Final = 1
_WORTH: Final = 8_000_000
_WORTH_OF_ONE: Final = 2_000_000
"""Multiplications that are worth a thread; those of each channel by itself wait for memory."""
KEPT: Final = 512
"""Plans that are kept."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The shapes of a convolution but for the number of images."""

    windows: tuple[Window, ...]
    channels: int
    depth: int
    """Input channels of a filter."""
    width: int
    """Output channels."""
    with_bias: bool = False
    """A number for each output channel is added."""
    rectifies: bool = False
    """What is negative, or no number, becomes 0. A NaN raises the flag of invalid operations."""

    @property
    def source(self) -> tuple[int, ...]:
        """Shape of an image."""
        return (*(w.input for w in self.windows), self.channels)

    @property
    def result(self) -> tuple[int, ...]:
        """Shape of what becomes of it."""
        return (*outputs(self.windows), self.width)

    @property
    def filters(self) -> tuple[int, ...]:
        """Shape of the filters."""
        return (*sizes(self.windows), self.depth, self.width)

    @property
    def work(self) -> int:
        """Multiplications for an image."""
        return math.prod(self.result) * math.prod(sizes(self.windows)) * self.depth

    @property
    def worth(self) -> int:
        """Multiplications that are worth a thread."""
        return _WORTH_OF_ONE if self.depth == 1 < self.channels else _WORTH


class CompiledConvolution:
    """A convolution, or a gradient of one, of some images."""

    def __init__(self, library: Library, function: str, geometry: Geometry, images: int) -> None:
        """Compiles it; see `plan`."""
        source = images_layout(library, images, geometry.source)
        result = images_layout(library, images, geometry.result)
        given = _filters(library, geometry, plain=True)
        forward = _forward(library, geometry, source, result)
        if function == CONVOLVE:
            description, role = forward, WEIGHTS
            order = ((SOURCE, source), (RESULT, result))
        elif function == CONVOLVE_INPUT:
            weights = _filters(library, geometry, plain=False)
            arrays: tuple[Any, ...] = (source, weights, result)
            description, role = _backward(library, function, geometry, arrays, forward), WEIGHTS
            order = ((RESULT_GRADIENT, result), (SOURCE_GRADIENT, source))
        else:
            weights = _filters(library, geometry, plain=False)
            arrays = (source, weights, None, result)
            description = _backward(library, function, geometry, arrays, forward)
            role = WEIGHTS_GRADIENT
            order = ((SOURCE, source), (RESULT_GRADIENT, result))
        self._library = library
        self._geometry = geometry
        self._own = description.layout(role)
        self._is_plain = bool(library.same_layout(self._own, given.handle))
        bias = ((BIAS, Layout(library, (geometry.width,), (1,))),) if geometry.with_bias else ()
        self.primitive: Final = Primitive(description, (*order, (role, self._own), *bias))
        """Takes images, images, filters in its own layout, and the bias if there is one."""
        self.filter_bytes: Final = description.size(role)
        ends = (given, self._own) if role == WEIGHTS else (self._own, given)
        with Threads(library, 1):
            self._convert = reorder(library, *ends)

    def agrees_with(self, other: CompiledConvolution) -> bool:
        """True if both have the same layout of filters."""
        return self is other or bool(self._library.same_layout(self._own, other._own))

    def converted(self, filters: Any, role: str) -> Any:
        """Filters in its own layout, in this thread's workspace of a role."""
        if self._is_plain:
            return filters
        own = workspace(np, role, (self.filter_bytes,), np.uint8)
        self._convert.run(address_of(filters), address_of(own))
        return own

    def plain(self, own: Any) -> Any:
        """An array of filters in the layout that all know."""
        result = aligned.empty(self._geometry.filters, FLOAT32)
        self._convert.run(address_of(own), address_of(result))
        return result

    def writer(self, whole: Geometry) -> Primitive:
        """What copies filters in its own layout to their place among those of more output channels.

        Its `run` takes the address of the filters, and of the first number of that place.
        """
        *by_tap, by_depth, by_width = dense(whole.filters)
        *taps, depth, width = self._geometry.filters
        place = Layout(self._library, (width, depth, *taps), (by_width, by_depth, *by_tap))
        with Threads(self._library, 1):
            return reorder(self._library, self._own, place)


@functools.lru_cache(maxsize=KEPT)
def plan(
    function: str, geometry: Geometry, images: int, threads: int = 1
) -> CompiledConvolution | None:
    """The plan for so many images; None without oneDNN, or if that has no fast code for it.

    Args:
      function: CONVOLVE, CONVOLVE_INPUT or CONVOLVE_FILTER.
      geometry: The shapes.
      images: How many there are.
      threads: How many run it. More than one may have other bits.
    """
    return compiled(
        lambda library: CompiledConvolution(library, function, geometry, images), threads
    )


def images_layout(library: Library, count: int, shape: tuple[int, ...]) -> Layout:
    """Images, whose channels lie side by side; oneDNN names the channels before the places."""
    batch, *spatial, channel = dense((count, *shape))
    return Layout(library, (count, shape[-1], *shape[:-1]), (batch, channel, *spatial))


def _filters(library: Library, geometry: Geometry, plain: bool) -> Layout:
    """Filters as (groups, output channels, input channels, *taps), without groups if it is one."""
    *taps, depth, width = geometry.filters
    groups = geometry.channels // depth
    *by_tap, by_depth, by_width = dense(geometry.filters)
    shape = (width // groups, depth, *taps)
    strides = (by_width, by_depth, *by_tap)
    if groups > 1:
        shape, strides = (groups, *shape), (width // groups, *strides)
    return Layout(library, shape, strides if plain else None)


def _sliding(geometry: Geometry) -> tuple[Any, ...]:
    windows = geometry.windows
    return (
        dims([w.stride for w in windows]),
        dims([w.dilation - 1 for w in windows]),
        dims([w.before for w in windows]),
        dims([w.after for w in windows]),
    )


def _forward(library: Library, geometry: Geometry, source: Layout, result: Layout) -> Description:
    filters = _filters(library, geometry, plain=False)
    bias = Layout(library, (geometry.width,), (1,)) if geometry.with_bias else None
    return Description(
        library,
        CONVOLVE,
        TRAINING,
        _DIRECT,
        source,
        filters,
        bias,
        result,
        *_sliding(geometry),
        after=[PostOperation(RELU)] if geometry.rectifies else [],
    )


def _backward(
    library: Library,
    function: str,
    geometry: Geometry,
    arrays: tuple[Any, ...],
    forward: Description,
) -> Description:
    sliding = _sliding(geometry)
    return Description(library, function, _DIRECT, *arrays, *sliding, forward.handle)
