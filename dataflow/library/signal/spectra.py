"""Spectra of frames: the short-time Fourier transform, the modified discrete cosine transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.signal.cosine import dct
from dataflow.library.signal.fourier import irfft, rfft
from dataflow.library.signal.framing import frame, overlap_and_add
from dataflow.library.signal.windows import hann_window, vorbis_window
from dataflow.ops.array.pad import pad
from dataflow.ops.array.split import split
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.rounding import ceil
from dataflow.values import dtypes

WindowFunction = Callable[..., Any]


def _enclosing_power_of_two(value: Tensor) -> Tensor:
    """The least power of 2 that is not below the value."""
    known = constant_value(value)
    if known is not None:
        power = int(2 ** np.ceil(np.log(int(known)) / np.log(2.0)))
        return convert_to_tensor(power, dtype=value.dtype)
    number = cast(value, dtypes.float32)
    exponent = ceil(math_unary.log(number) / np.float32(np.log(2.0)))
    result: Tensor = cast(2.0**exponent, value.dtype)
    return result


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform of real signals.

    Args:
      signals: float32 or float64, shape `[..., samples]`.
      frame_length: Samples in a frame, a scalar integer.
      frame_step: From the start of one frame to that of the next.
      fft_length: Points of each transform; by default the power of 2 that holds a frame.
      window_fn: Makes the window of a frame: a function of its length and `dtype`; None for none.
      pad_end: Whether frames may reach beyond the end, where there are zeros.
      name: Name of the scope of the operations.

    Returns:
      complex64 or complex128, shape `[..., frames, fft_length // 2 + 1]`.
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_length.shape.assert_has_rank(0)
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        frame_step.shape.assert_has_rank(0)
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        else:
            fft_length = convert_to_tensor(fft_length, name="fft_length")
        framed: Any = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            framed = framed * window_fn(_plain(frame_length), dtype=framed.dtype)
        return rfft(framed, [_plain(fft_length)])


def _plain(length: Tensor) -> Any:
    """A length as a number where it is known, so that what is made of it is known."""
    known = constant_value(length)
    return length if known is None else int(known)


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Signals whose short-time Fourier transforms come close to those given.

    Args:
      stfts: complex64 or complex128, shape `[..., frames, fft_length // 2 + 1]`.
      frame_length: Samples in a frame, a scalar integer.
      frame_step: From the start of one frame to that of the next.
      fft_length: Points of each transform; by default the power of 2 that holds a frame.
      window_fn: Makes the window of a frame, see `inverse_stft_window_fn`; None for none.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., samples]`.
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_length.shape.assert_has_rank(0)
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        frame_step.shape.assert_has_rank(0)
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        else:
            fft_length = convert_to_tensor(fft_length, name="fft_length")
            fft_length.shape.assert_has_rank(0)
        length, points = _plain(frame_length), _plain(fft_length)
        frames: Any = irfft(stfts, [points])
        frames = _fitted(frames, length)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, frame_step)


def _fitted(frames: Any, length: Any) -> Tensor:
    """Frames cut, or filled up with zeros, to a length."""
    frames = frames[..., :length]
    if isinstance(length, int) and frames.shape.rank is not None:
        size = frames.shape.as_list()[-1]
        if size is not None:
            if size >= length:
                found: Tensor = frames
                return found
            return pad(frames, [*[[0, 0]] * (frames.shape.rank - 1), [0, length - size]])
    sizes: Any = array_shape.shape(frames)
    missing = array_concat.concat([0 * sizes[:-1], [maximum(0, length - sizes[-1])]], 0)
    return pad(frames, array_concat.stack([0 * sizes, missing], axis=1))


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: WindowFunction | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform of frames that overlap by half (Princen, 1987).

    Args:
      signals: float32 or float64, shape `[..., samples]`.
      frame_length: Samples in a frame: a multiple of 4 that is known while building.
      window_fn: Makes the window of a frame; None for a constant one.
      pad_end: Whether frames may reach beyond the end, where there are zeros.
      norm: None, or "ortho" for an orthogonal transform.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., frames, frame_length // 2]`.

    Raises:
      ValueError: The frame length is none of these.
    """
    with name_scope(name, "mdct", [signals, frame_length]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_length.shape.assert_has_rank(0)
        length = _plain(frame_length)
        if not isinstance(length, int):
            raise ValueError("The frame length of a MDCT must be known while building.")
        if length % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        half = length // 2
        framed: Any = frame(signals, length, half, pad_end=pad_end)
        window = _window(window_fn, length, framed.dtype)
        framed = framed * window
        a, b, c, d = split(framed, num_or_size_splits=4, axis=-1)
        first: Any = -reverse(c, [-1]) - d
        second: Any = a - reverse(b, [-1])
        return dct(array_concat.concat((first, second), axis=-1), type=4, norm=norm)


def _window(window_fn: WindowFunction | None, length: int, dtype: dtypes.DType) -> Any:
    if window_fn is not None:
        return window_fn(length, dtype=dtype)
    return convert_to_tensor(1.0 / np.sqrt(2), dtype=dtype)


def inverse_mdct(
    mdcts: Any,
    window_fn: WindowFunction | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signals of which `mdct` has made frames.

    Args:
      mdcts: float32 or float64, shape `[..., frames, frame_length // 2]`.
      window_fn: The window function of the `mdct`.
      norm: That of the `mdct`.
      name: Name of the scope of the operations.

    Returns:
      Shape `[..., samples]`.
    """
    with name_scope(name, "inverse_mdct", [mdcts]):
        mdcts = convert_to_tensor(mdcts, name="mdcts")
        mdcts.shape.with_rank_at_least(2)
        half = mdcts.shape.as_list()[-1] if mdcts.shape.rank is not None else None
        if half is None:
            raise ValueError("The frame length of a MDCT must be known while building.")
        folded: Any = dct(mdcts, type=4, norm=norm)
        if norm is None:
            folded = folded * (0.5 / half)
        first, second = split(folded, num_or_size_splits=2, axis=-1)
        parts = (second, -reverse(second, [-1]), -reverse(first, [-1]), -first)
        real: Any = array_concat.concat(parts, axis=-1)
        return overlap_and_add(real * _window(window_fn, 2 * half, mdcts.dtype), half)
