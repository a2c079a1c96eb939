"""Statistics of samples: percentiles, and how values far apart go together."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import dataflow.ops.math.rounding as rounding
import dataflow.ops.signal.fourier as fourier
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_greater_equal, assert_less_equal
from dataflow.ops.array.pad import pad
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.complex import complex as complex_of
from dataflow.ops.math.complex import conj, real
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.values import dtypes

_ROUNDINGS: Final = {
    "lower": rounding.ceil,
    "higher": rounding.floor,
    "nearest": rounding.round,
}
"""Of a position among sorted values, the largest first."""


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The value of a sample below which q per cent of its values are.

    Args:
      x: Floats; of a known rank if an axis is given.
      q: A number from 0 to 100.
      axis: The dimension of the samples, or several: constants. All of them if None.
      interpolation: What stands for a value between two of the sample: the "lower", the "higher" or
        the "nearest", which it is by default.
      keep_dims: Whether the dimensions of the samples stay, with a length of 1.
      validate_args: Whether a step checks that `q` is in its range.
      name: The name scope: "percentile".

    Returns:
      Of the type of `x`, without the dimensions of the samples.

    Raises:
      ValueError: The interpolation is another, or the axis or the rank is not known.
      InvalidArgumentError: In the step, if `q` is not in its range and is checked.
    """
    interpolation = "nearest" if interpolation is None else interpolation
    if interpolation not in _ROUNDINGS:
        raise ValueError(
            f"Argument 'interpolation' must be in {set(_ROUNDINGS)}.  Found {interpolation}"
        )
    with name_scope(name or "percentile", values=[x, q]):
        x = convert_to_tensor(x, name="x")
        q = cast(q, dtypes.float64)
        if q.shape.ndims not in (None, 0):
            raise ValueError(f"Expected argument 'x' to have ndims 0.  Found tensor {q}")
        if validate_args:
            checks = [assert_greater_equal(q, np.float64(0)), assert_less_equal(q, np.float64(100))]
            q = with_dependencies(checks, q)
        axes = None if axis is None else _axes(axis, x)
        rows = _rows(x, axes)
        last = shape(rows)[-1] - 1
        position = _ROUNDINGS[interpolation](cast(last, dtypes.float64) * (1 - q / 100))
        index = minimum(maximum(cast(position, dtypes.int32), 0), last)
        result: Tensor = top_k(rows, last + 1).values[..., index]
        result.set_shape(rows.shape[:-1])
        if not keep_dims:
            return result
        if axes is None:
            return reshape(result, [1] * x.shape.ndims)
        lengths = shape(x)
        return reshape(
            result, [1 if each in axes else lengths[each] for each in range(x.shape.ndims)]
        )


def auto_correlation(
    x: Any,
    axis: int = -1,
    max_lags: Any = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Tensor:
    """How values of a series go together with those some places behind them, by Wiener-Khinchin.

    Args:
      x: Floats or complex numbers, of a known rank and length.
      axis: The dimension of the series.
      max_lags: The most places, a constant: all by default.
      center: Whether the mean is subtracted first.
      normalize: Whether the first of the results, the variance, divides all.
      name: The name scope.

    Returns:
      Of the type and rank of `x`: means over the pairs that are 0, 1, ... `max_lags` places apart.

    Raises:
      TypeError: `x` is of another type.
      ValueError: The length or the most places are not known.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if not (x.dtype.is_floating or x.dtype.is_complex):
            raise TypeError(f"Argument x must have either float or complex dtype found: {x.dtype}")
        axis %= x.shape.ndims
        length = x.shape.as_list()[axis]
        lags = None if max_lags is None else constant_value(convert_to_tensor(max_lags))
        if length is None or (lags is None and max_lags is not None):
            raise ValueError("The length of the series and max_lags must be known.")
        lags = length - 1 if lags is None else min(length - 1, int(lags))
        moved = [each for each in range(x.shape.ndims) if each != axis] + [axis]
        series = transpose(x, moved)
        if center:
            series -= reduce_mean(series, axis=-1, keepdims=True)
        series = pad(series, [[0, 0]] * (len(moved) - 1) + [[0, _power_of_2(2 * length) - length]])
        if not x.dtype.is_complex:
            series = complex_of(series, series * 0)
        spectrum = fourier.fft(series)
        sums = fourier.ifft(spectrum * conj(spectrum))[..., : lags + 1]
        sums = sums if x.dtype.is_complex else real(sums)
        means = sums / cast(length - range_of(lags + 1), x.dtype)
        if normalize:
            means /= means[..., :1]
        return transpose(means, list(np.argsort(moved)))


def _axes(axis: Any, x: Tensor) -> list[int]:
    """The dimensions, counted from the front.

    Raises:
      ValueError: They, or the rank, are not known.
    """
    known = constant_value(convert_to_tensor(axis, name="axis"))
    if known is None:
        raise ValueError(f"Expected argument 'axis' to be statically available.  Found: {axis}")
    if x.shape.ndims is None:
        raise ValueError(f"Expected argument 'x' to have statically defined 'ndims'.  Found: {x}")
    return [int(each) % x.shape.ndims for each in np.atleast_1d(known)]


def _rows(x: Tensor, axes: list[int] | None) -> Tensor:
    """The samples, in the last dimension."""
    if axes is None:
        return reshape(x, [-1])
    lengths = x.shape.as_list()
    kept = [each for each in range(len(lengths)) if each not in axes]
    moved = transpose(x, [*kept, *axes])
    rows = reshape(moved, [*(shape(x)[each] for each in kept), -1])
    rows.set_shape([*(lengths[each] for each in kept), None])
    return rows


def _power_of_2(least: int) -> int:
    return 1 << (least - 1).bit_length()
