"""Batch normalization of float32 rows and its gradient by oneDNN.

Rows are (rows, channels): all places of all images. Results are None where oneDNN is absent or has
no fast code.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import (
    FLOAT32,
    NORMALIZE,
    NORMALIZE_GRADIENT,
    TRAINING,
    Library,
    compiled,
)
from dataflow.kernels.onednn.primitive import (
    MEAN,
    OFFSET,
    OFFSET_GRADIENT,
    RESULT,
    RESULT_GRADIENT,
    SCALE,
    SCALE_GRADIENT,
    SOURCE,
    SOURCE_GRADIENT,
    VARIANCE,
    Description,
    Layout,
    Primitive,
    are_float32,
    plain,
)
from dataflow.kernels.reductions.channels import channel_moments
from dataflow.kernels.threads.parallel import grain_of, items_of_call, split

_SECONDS: Final = 2e-10
"""What a number takes, about."""
_TRAINING_SECONDS: Final = 3e-10
"""The same for mean and variance."""
_BLOCK: Final = 1 << 17
_ROWS: Final = 4096
"""Numbers and rows at most of which oneDNN takes mean and variance: longer sums lose digits."""
_AT_ONCE: Final = 1 << 15
_NUMBERS_AT_ONCE: Final = 1 << 19
"""Rows and numbers at most which one call normalizes by their own mean and variance, on one thread:
two threads that do this in two passes take as long. Of so many rows the variance is right to 1e-4
of it, as TensorFlow's."""
_FEW: Final = 8
"""Channels below which it is slow."""
_KEPT: Final = 256
"""Codes that are kept."""
_BACKWARD: Final = 128
_GIVEN_STATISTICS: Final = 1
_WITH_SCALE_AND_OFFSET: Final = 2 | 4

Moments = tuple[Any, Any]
"""Mean and variance of each channel."""


def moments_of(rows: Any) -> Moments | None:
    """Mean and variance, that of the population, of each channel; None if oneDNN cannot.

    Those of blocks of rows are combined as T. Chan, G. Golub and R. LeVeque do in "Updating
    Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).

    Args:
      rows: (rows, channels), not empty.
    """
    count, channels = rows.shape
    if channels < _FEW:
        return None
    step = min(count, _ROWS, max(1, _BLOCK // channels))
    blocks = -(-count // step)
    last = count - (blocks - 1) * step
    main, rest = (_code(size, channels, 1.0, False, rows) for size in (step, last))
    if main is None or rest is None:
        return None
    rows = plain(rows)
    found = np.empty((2, blocks, channels), FLOAT32)
    ones = np.ones(channels, FLOAT32)

    def run(first: int, last: int) -> None:
        # What is normalized by the moments of a block is of no use.
        unused = workspace(np, "normalized", (step, channels), FLOAT32)
        for block in range(first, last):
            part = rows[block * step : (block + 1) * step]
            chosen = main if len(part) == step else rest
            arrays = (part, unused, *found[:, block], ones, ones)
            chosen.forward.run(*map(address_of, arrays))

    split(blocks, grain_of(blocks, rows.size * _TRAINING_SECONDS), run)
    means, variances = found
    if blocks == 1:
        return means[0], variances[0]
    weights = np.full(blocks, step / count)
    weights[-1] = last / count
    mean = weights @ means
    variance = weights @ (variances + np.square(means - mean))
    return mean.astype(FLOAT32), variance.astype(FLOAT32)


def normalize_by_own(
    rows: Any, scale: Any, offset: Any, epsilon: float
) -> tuple[Any, Moments] | None:
    """Normalizes by the rows' own means and variances, and gives these, too.

    Args:
      rows: (rows, channels), not empty.
      scale: What each channel is multiplied with then,
      offset: and what is added to it.
      epsilon: Is added to the variance.
    """
    count, channels = rows.shape
    if channels >= _FEW and count <= _AT_ONCE and rows.size <= _NUMBERS_AT_ONCE:
        code = _code(count, channels, epsilon, False, rows, scale, offset)
        if code is not None:
            y = aligned.empty(rows.shape, FLOAT32)
            mean, variance = np.empty((2, channels), FLOAT32)
            arrays = (plain(rows), y, mean, variance, plain(scale), plain(offset))
            code.forward.run(*map(address_of, arrays))
            return y, (mean, variance)
    moments = moments_of(rows) or channel_moments(rows)
    y = normalize(rows, scale, offset, moments, epsilon)
    return None if y is None else (y, moments)


def normalize(rows: Any, scale: Any, offset: Any, moments: Moments, epsilon: float) -> Any:
    """Normalizes by given means and variances, some rows on each thread; None if oneDNN cannot."""
    count, channels = rows.shape
    seconds = rows.size * _SECONDS
    step = items_of_call(count, seconds)
    given = (rows, scale, offset, *moments)
    main = _code(step, channels, epsilon, True, *given)
    rest = main if count % step == 0 else _code(count % step, channels, epsilon, True, *given)
    if main is None or rest is None:
        return None
    y = aligned.empty(rows.shape, FLOAT32)
    rows, vectors = plain(rows), [plain(vector) for vector in (*moments, scale, offset)]
    places = [address_of(vector) for vector in vectors]

    def run(first: int, last: int) -> None:
        for start in range(first * step, min(count, last * step), step):
            part = slice(start, min(count, start + step))
            chosen = main if part.stop - start == step else rest
            chosen.forward.run(address_of(rows[part]), address_of(y[part]), *places)

    calls = -(-count // step)
    split(calls, grain_of(calls, seconds), run)
    return y


def gradient(
    slope: Any, rows: Any, scale: Any, moments: Moments, epsilon: float, is_training: bool
) -> tuple[Any, Any, Any] | None:
    """The gradients of rows, scale and offset.

    Args:
      slope: The gradient of the result, shaped like the rows.
      rows: What was normalized.
      scale: What it was multiplied with.
      moments: Mean and variance that it was normalized by.
      epsilon: What was added to the variance.
      is_training: Mean and variance are those of the rows, and depend on them.
    """
    given = (slope, rows, scale, *moments)
    code = _code(rows.shape[0], rows.shape[1], epsilon, not is_training, *given)
    if code is None:
        return None
    dx = aligned.empty(rows.shape, FLOAT32)
    of_scale, of_offset = (np.empty(rows.shape[1], FLOAT32) for _ in range(2))
    inputs = [plain(array) for array in (rows, slope, *moments, scale)]
    code.backward.run(*map(address_of, (*inputs, dx, of_scale, of_offset)))
    return dx, of_scale, of_offset


class _Code:
    """What normalizes so many rows, and gives the gradient."""

    def __init__(
        self, library: Library, rows: int, channels: int, epsilon: float, given: bool
    ) -> None:
        flags = _WITH_SCALE_AND_OFFSET | (_GIVEN_STATISTICS if given else 0)
        # One image of one column.
        images = Layout(library, (1, channels, rows, 1), (rows * channels, 1, channels, channels))
        vector = Layout(library, (channels,), (1,))
        ahead = Description(library, NORMALIZE, TRAINING, images, images, epsilon, flags)
        of_channels = ((MEAN, vector), (VARIANCE, vector), (SCALE, vector))
        self.forward: Final = Primitive(
            ahead, ((SOURCE, images), (RESULT, images), *of_channels, (OFFSET, vector))
        )
        """Takes rows, results, means, variances, scale and offset."""
        back = Description(
            library,
            NORMALIZE_GRADIENT,
            _BACKWARD,
            *(images,) * 3,
            epsilon,
            flags,
            ahead.handle,
        )
        inputs = ((SOURCE, images), (RESULT_GRADIENT, images), *of_channels)
        results = ((SCALE_GRADIENT, vector), (OFFSET_GRADIENT, vector))
        self.backward: Final = Primitive(back, (*inputs, (SOURCE_GRADIENT, images), *results))
        """Takes rows, gradient of the result, means, variances and scale; then what it fills: the
        gradients of rows, scale and offset."""


def _code(rows: int, channels: int, epsilon: float, given: bool, *arrays: Any) -> _Code | None:
    return _kept(rows, channels, epsilon, given) if are_float32(*arrays) else None


@functools.lru_cache(maxsize=_KEPT)
def _kept(rows: int, channels: int, epsilon: float, given: bool) -> _Code | None:
    return compiled(lambda library: _Code(library, rows, channels, epsilon, given))
