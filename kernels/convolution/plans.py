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
    POST_OPERATION,
    RESULT,
    RESULT_GRADIENT,
    SECOND_SOURCE,
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
RESIDUAL: Final = "residual"
"""Stands among what follows a convolution: an array like the result is added."""
_ADD: Final = 0x1FFF0
_FUNCTIONS: Final = {
    "Relu": (0x20, 0.0, 0.0),
    "Relu6": (0x2E, 0.0, 6.0),
    "Elu": (0x22, 1.0, 0.0),
    "Sigmoid": (0x29, 0.0, 0.0),
    "Tanh": (0x21, 0.0, 0.0),
    "Swish": (0x2C, 1.0, 0.0),
}
"""oneDNN's numbers of activations, and its parameters. Relu and Relu6 make 0 of a NaN, as they do
in TensorFlow behind a convolution and its bias."""
ACTIVATIONS: Final = frozenset(_FUNCTIONS)


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
    after: tuple[str, ...] = ()
    """What is done with each number then: `RESIDUAL`, and names of `ACTIVATIONS`."""

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
        more = [(BIAS, Layout(library, (geometry.width,), (1,)))] if geometry.with_bias else []
        for place, name in enumerate(geometry.after, 1):
            if name == RESIDUAL:
                more.append((POST_OPERATION * place | SECOND_SOURCE, result))
        self.primitive: Final = Primitive(description, (*order, (role, self._own), *more))
        """Takes images, images, filters in its own layout, the bias if there is one, and what is
        added."""
        self.filter_bytes: Final = description.size(role)
        ends = (given, self._own) if role == WEIGHTS else (self._own, given)
        with Threads(library, 1):
            self._convert = reorder(library, *ends)

    def agrees_with(self, other: CompiledConvolution) -> bool:
        """True if both have the same layout of filters."""
        return self is other or bool(self._library.same_layout(self._own, other._own))

    def converted(self, filters: Any, role: str | None) -> Any:
        """Filters in its own layout, in this thread's workspace of a role, or a new array."""
        if self._is_plain:
            return filters
        if role is None:
            own = aligned.scratch((self.filter_bytes,), np.dtype(np.uint8))
        else:
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
        after=[_operation(name, result) for name in geometry.after],
    )


def _operation(name: str, result: Layout) -> PostOperation:
    if name == RESIDUAL:
        return PostOperation(_ADD, result)
    function, alpha, beta = _FUNCTIONS[name]
    return PostOperation(function, None, alpha, beta)


def _backward(
    library: Library,
    function: str,
    geometry: Geometry,
    arrays: tuple[Any, ...],
    forward: Description,
) -> Description:
    sliding = _sliding(geometry)
    return Description(library, function, _DIRECT, *arrays, *sliding, forward.handle)
