"""Windows: weights that fade a frame of a signal in and out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.trig as trig
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.scan as scans
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones
from dataflow.ops.array.pad import pad
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.bessel import bessel_i0
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes


def _checked(window_length: Any, dtype: Any) -> tuple[Tensor, dtypes.DType]:
    """The length as a tensor, and the type.

    Raises:
      ValueError: The type is no floating one, or the length no scalar.
    """
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtype=dtypes.int32)
    length.shape.assert_has_rank(0)
    return length, dtype


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Hann window: 0.5 - 0.5 cos(2 pi i / n).

    Args:
      window_length: How many points, a scalar integer.
      periodic: Whether the window continues periodically, as spectra want it, rather than being
        symmetric.
      dtype: A floating type.
      name: Name of the scope of the operations.

    Raises:
      ValueError: The type is no floating one.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Hamming window: 0.54 - 0.46 cos(2 pi i / n); see `hann_window`."""
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None,
    default: str,
    window_length: Any,
    periodic: Any,
    dtype: Any,
    a: float,
    b: float,
) -> Tensor:
    with name_scope(name, default, [window_length, periodic]):
        length, dtype = _checked(window_length, dtype)
        if isinstance(window_length, int) and window_length == 1:
            return ones([1], dtype=dtype)
        is_periodic: Any = cast(
            convert_to_tensor(periodic, dtype=dtypes.bool, name="periodic"), dtypes.int32
        )
        even: Any = 1 - cast(length, dtypes.int32) % 2
        points: Any = cast(length + is_periodic * even - 1, dtype)
        if not isinstance(window_length, int):
            # A window of one point is one.
            points = points + cast(points <= 0, dtype)
        count = cast(range_of(length), dtype)
        angle = 2 * math.pi * count / points
        window: Any = a - b * trig.cos(angle)
        if not isinstance(window_length, int):
            alone = cast(length <= 1, dtype)
            window = window * (1 - alone) + alone
        result: Tensor = window
        return result


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The Kaiser window: I0(beta sqrt(1 - t^2)) / I0(beta), for t from -1 to 1.

    Args:
      window_length: How many points, a scalar integer.
      beta: How much it fades.
      dtype: A floating type.
      name: Name of the scope of the operations.
    """
    with name_scope(name, "kaiser_window"):
        length, dtype = _checked(window_length, dtype)
        if isinstance(window_length, int) and window_length == 1:
            return ones([1], dtype=dtype)
        half: Any = (cast(length, dtype) - 1) / 2
        beta = cast(beta, dtype)
        place: Any = cast(range_of(length), dtype) - half
        fall = beta * math_unary.sqrt(1.0 - math_unary.square(place / half))
        result: Tensor = bessel_i0(fall) / bessel_i0(beta)
        return result


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window made of running sums of a Kaiser window, for the MDCT: `window_length` is even."""
    with name_scope(name, "kaiser_bessel_derived_window"):
        length, dtype = _checked(window_length, dtype)
        half: Any = length // 2
        kaiser: Any = kaiser_window(
            window_length // 2 + 1 if isinstance(window_length, int) else half + 1, beta, dtype
        )
        sums: Any = scans.cumsum(kaiser)
        rising = math_unary.sqrt(sums[:-1] / sums[-1])
        return concat((rising, reverse(rising, axis=[0])), axis=0)


def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of Vorbis, for the MDCT: sin(pi / 2 sin^2(pi (i + 1/2) / n))."""
    with name_scope(name, "vorbis_window"):
        length, dtype = _checked(window_length, dtype)
        points: Any = cast(length, dtype)
        place: Any = cast(range_of(length), dtype) + 0.5
        inner = trig.sin(math.pi / points * place)
        return trig.sin(math.pi / 2.0 * math_unary.square(inner))


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Tensor]:
    """The window function with which `inverse_stft` undoes a `stft`.

    Args:
      frame_step: From the start of one frame to that of the next, a scalar integer.
      forward_window_fn: The window function of the `stft`.
      name: Name of the scope of the operations.

    Returns:
      A function of the frame length and `dtype`: the window divided by the sum of the squares of
      all windows that overlap at a point (Griffin and Lim, 1984).
    """

    def inverse_stft_window_fn_inner(frame_length: Any, dtype: Any) -> Tensor:
        """The inverse window of that length and type."""
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            step: Any = convert_to_tensor(frame_step, name="frame_step")
            step.shape.assert_has_rank(0)
            window: Any = forward_window_fn(frame_length, dtype=dtype)
            length: Any = convert_to_tensor(frame_length, name="frame_length")
            overlaps = -(-length // step)
            squares: Any = math_unary.square(window)
            squares = pad(squares, [(0, overlaps * step - length)])
            sums = reduce_sum(array_shape.reshape(squares, [overlaps, step]), 0, keepdims=True)
            spread: Any = array_shape.reshape(tile(sums, [overlaps, 1]), [overlaps * step])
            result: Tensor = div_no_nan(window, spread[:length])
            return result

    return inverse_stft_window_fn_inner
