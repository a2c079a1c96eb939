"""Pooling of float32 images and its gradients by oneDNN, some images on each thread.

Arrays are (batch, *spatial, channels). Results are None where oneDNN is absent or has no fast code.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.plans import images_layout
from dataflow.kernels.convolution.windows import Window, outputs
from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import (
    FLOAT32,
    INFERENCE,
    POOL,
    POOL_GRADIENT,
    TRAINING,
    Library,
    compiled,
)
from dataflow.kernels.onednn.primitive import (
    RESULT,
    RESULT_GRADIENT,
    SOURCE,
    SOURCE_GRADIENT,
    WORKSPACE,
    Description,
    Primitive,
    are_float32,
    dims,
    plain,
)
from dataflow.kernels.threads.parallel import grain_of, items_of_call, split

_SECONDS: Final = 5e-11
_TAP_SECONDS: Final = 1.5e-11
"""What a number takes, about, and what each tap that it is seen by adds."""
_THIN: Final = 8
"""Channels below which gradients are slow."""
_KEPT: Final = 256
"""Codes that are kept."""

_MAX: Final = 511
_MEAN: Final = 1023
_LOWEST: Final = np.finfo(np.float32).min

Part = Callable[[slice], None]
"""Does its work for some images."""


def max_pool(x: Any, windows: Sequence[Window]) -> Any:
    """The greatest element of each window, or the least finite number; None if oneDNN cannot.

    Args:
      x: The images, not empty.
      windows: The windows.
    """
    pools = _Pools.of(_MAX, INFERENCE, x, windows, x.shape[0])
    if pools is None:
        return None
    x = plain(x)
    result = aligned.empty((x.shape[0], *outputs(windows), x.shape[-1]), FLOAT32)

    def run(images: slice) -> None:
        pool = pools.of_images(images)
        pool.forward.run(address_of(x[images]), address_of(result[images]))

    pools.split(run)
    return result


def max_pool_and_places(x: Any, windows: Sequence[Window]) -> tuple[Any, Any] | None:
    """`max_pool`, and where the maxima are: for `max_pool_gradient`, which reads it in calls.

    The places are empty if oneDNN may not have found all of them.
    """
    pools = _Pools.of(_MAX, TRAINING, x, windows, x.shape[0])
    if pools is None or x.shape[-1] < _THIN:
        return None
    x = plain(x)
    result = aligned.empty((x.shape[0], *outputs(windows), x.shape[-1]), FLOAT32)
    places = np.empty((pools.calls, pools.place_bytes), np.uint8)
    unknown: list[slice] = []

    def run(images: slice) -> None:
        if not pools.find(images, x, result[images], places[pools.call_of(images)]):
            unknown.append(images)

    pools.split(run)
    return result, places[:0] if unknown else places


def max_pool_gradient(
    x: Any,
    grad: Any,
    windows: Sequence[Window],
    otherwise: Callable[[Any, Any], Any],
    places: Any = None,
) -> Any:
    """The gradient of the maximum, to the first greatest element; None if oneDNN cannot.

    Args:
      x: The images, not empty.
      grad: The gradient of what `max_pool` gives, not empty.
      windows: The windows, each of which sees something.
      otherwise: Computes it for images with a NaN, or a window that may see nothing but -inf.
      places: What `max_pool_and_places` gave for these images, or None.
    """
    pools = _Pools.of(_MAX, TRAINING, x, windows, x.shape[0])
    if pools is None or grad.dtype != FLOAT32 or x.shape[-1] < _THIN:
        return None
    x, grad = plain(x), plain(grad)
    result = aligned.empty(x.shape, FLOAT32)

    def find(images: slice) -> Any:
        """The places; None where oneDNN does not find them."""
        best = workspace(np, "oneDNN best", grad[images].shape, FLOAT32)
        found = workspace(np, "oneDNN places", (pools.place_bytes,), np.uint8)
        return found if pools.find(images, x, best, found) else None

    def run(images: slice) -> None:
        known = find(images) if places is None else places[pools.call_of(images)]
        if known is None:
            result[images] = otherwise(x[images], grad[images])
        else:
            backward = pools.of_images(images).backward
            backward.run(address_of(grad[images]), address_of(result[images]), address_of(known))

    if places is not None and not places.size:
        places = None
    pools.split(run, 3 if places is None else 2)
    return result


def avg_pool(x: Any, windows: Sequence[Window]) -> Any:
    """The mean of what each window sees; None if oneDNN cannot."""
    pools = _Pools.of(_MEAN, INFERENCE, x, windows, x.shape[0])
    if pools is None:
        return None
    x = plain(x)
    result = aligned.empty((x.shape[0], *outputs(windows), x.shape[-1]), FLOAT32)

    def run(images: slice) -> None:
        pool = pools.of_images(images)
        pool.forward.run(address_of(x[images]), address_of(result[images]))

    pools.split(run)
    return result


def avg_pool_gradient(grad: Any, windows: Sequence[Window]) -> Any:
    """The gradient of the mean: each window's share goes to all it sees; None if oneDNN cannot."""
    pools = _Pools.of(_MEAN, TRAINING, grad, windows, grad.shape[0])
    if pools is None or grad.shape[-1] < _THIN:
        return None
    grad = plain(grad)
    shape = (grad.shape[0], *(w.input for w in windows), grad.shape[-1])
    result = aligned.empty(shape, FLOAT32)

    def run(images: slice) -> None:
        pool = pools.of_images(images)
        pool.backward.run(address_of(grad[images]), address_of(result[images]))

    pools.split(run)
    return result


class _Pool:
    """The codes for so many images."""

    def __init__(
        self,
        library: Library,
        kind: int,
        purpose: int,
        windows: tuple[Window, ...],
        channels: int,
        images: int,
    ) -> None:
        source = images_layout(library, images, (*(w.input for w in windows), channels))
        result = images_layout(library, images, (*outputs(windows), channels))
        moves = (
            dims([w.stride for w in windows]),
            dims([w.size for w in windows]),
            dims([w.dilation - 1 for w in windows]),
            dims([w.before for w in windows]),
            dims([w.after for w in windows]),
        )
        described = Description(library, POOL, purpose, kind, source, result, *moves)
        arrays: tuple[tuple[int, Any], ...] = ((SOURCE, source), (RESULT, result))
        backward: tuple[tuple[int, Any], ...] = (
            (RESULT_GRADIENT, result),
            (SOURCE_GRADIENT, source),
        )
        self.place_bytes = 0
        """Size of what the maximum's gradient must know of the maximum."""
        if kind == _MAX and purpose == TRAINING:
            self.place_bytes = described.size(WORKSPACE)
            places = ((WORKSPACE, described.layout(WORKSPACE)),)
            arrays, backward = (*arrays, *places), (*backward, *places)
        self.forward: Final = Primitive(described, arrays)
        """Takes images, results, and for the gradient of a maximum the place for its places."""
        if purpose == TRAINING:
            back = Description(
                library, POOL_GRADIENT, kind, source, result, *moves, described.handle
            )
            self.backward: Final = Primitive(back, backward)
            """Takes the gradients of results and of images, and the places."""


@functools.lru_cache(maxsize=_KEPT)
def _pools(
    kind: int, purpose: int, windows: tuple[Window, ...], channels: int, images: int
) -> _Pools | None:
    """The codes for all images; None where oneDNN has none."""
    each = math.prod(w.input for w in windows) * channels
    taps = math.prod(-(-w.size // w.stride) for w in windows)
    seconds = images * each * (_SECONDS + taps * _TAP_SECONDS)
    step = items_of_call(images, seconds)
    shape = (kind, purpose, windows, channels)
    main = _pool(*shape, step)
    rest = main if images % step == 0 else _pool(*shape, images % step)
    return None if main is None or rest is None else _Pools(images, step, main, rest, seconds)


@functools.lru_cache(maxsize=_KEPT)
def _pool(
    kind: int, purpose: int, windows: tuple[Window, ...], channels: int, images: int
) -> _Pool | None:
    return compiled(lambda library: _Pool(library, kind, purpose, windows, channels, images))


class _Pools:
    """The codes for all images: equal numbers of them for each call, and the rest."""

    def __init__(self, images: int, step: int, main: _Pool, rest: _Pool, seconds: float) -> None:
        self._images = images
        self._step = step
        self._main = main
        self._rest = rest
        self._seconds = seconds

    @classmethod
    def of(
        cls, kind: int, purpose: int, array: Any, windows: Sequence[Window], images: int
    ) -> _Pools | None:
        """The codes, or None where oneDNN has none."""
        if not are_float32(array):
            return None
        return _pools(kind, purpose, tuple(windows), array.shape[-1], images)

    @property
    def calls(self) -> int:
        """How many do all images."""
        return -(-self._images // self._step)

    @property
    def place_bytes(self) -> int:
        """What a call needs at most for the places of maxima."""
        return max(self._main.place_bytes, self._rest.place_bytes)

    def call_of(self, images: slice) -> int:
        """The number of the call that does some images."""
        number: int = images.start // self._step
        return number

    def of_images(self, images: slice) -> _Pool:
        """The code for some images."""
        return self._main if images.stop - images.start == self._step else self._rest

    def find(self, images: slice, x: Any, best: Any, places: Any) -> bool:
        """Finds the maxima of some images, and where they are.

        Returns:
          False if it may not know some places: beside a NaN, and where there is only -inf.
        """
        known = flag()
        if known is not None:
            known[0]()
        source = x[images]
        run = self.of_images(images).forward.run
        run(address_of(source), address_of(best), address_of(places))
        has_nan = np.isnan(source).any() if known is None else known[1]()
        return not has_nan and bool(best.min() > _LOWEST)

    def split(self, run: Part, passes: int = 1) -> None:
        """Calls a function for all images, some at a time."""
        step, images, count = self._step, self._images, self.calls

        def piece(first: int, last: int) -> None:
            for start in range(first * step, min(images, last * step), step):
                run(slice(start, min(images, start + step)))

        split(count, grain_of(count, self._seconds * passes), piece)
