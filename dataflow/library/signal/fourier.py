"""Fourier transforms of real signals, cut or filled up to a length; shifts of spectra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.ops.array.pad import pad
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.transpose import roll
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.math.binary import maximum
from dataflow.values import dtypes

_COMPLEX = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
_REAL = {made: real for real, made in _COMPLEX.items()}


def _inferred_lengths(tensor: Tensor, rank: int, inverse: bool) -> Any:
    """The lengths of a transform that leaves nothing out."""
    inner = tensor.shape[-rank:]
    if inner.is_fully_defined():
        lengths = inner.as_list()
        if inverse and lengths[-1] is not None:
            lengths[-1] = max(0, 2 * (lengths[-1] - 1))
        return constant(lengths, dtype=dtypes.int32)
    sizes: Any = array_shape.shape(tensor)
    sizes = sizes[-rank:]
    if not inverse:
        return sizes
    last = maximum(0, 2 * (sizes[-1] - 1))
    return array_concat.concat([sizes[:-1], [last]], 0)


def _filled_up(tensor: Tensor, rank: int, lengths: Tensor, inverse: bool) -> Tensor:
    """The signal with zeros behind it, so that it is long enough."""
    known = constant_value(lengths)
    inner = tensor.shape[-rank:] if tensor.shape.rank is not None else None
    outer: Any
    if known is not None and inner is not None and inner.is_fully_defined():
        needed = [int(n) for n in known]
        if inverse and needed:
            needed[-1] = needed[-1] // 2 + 1 if needed[-1] else 0
        pairs = zip(inner.as_list(), needed, strict=False)
        missing = [max(0, need - (have or 0)) for have, need in pairs]
        if not any(missing):
            return tensor
        outer = [0] * (len(tensor.shape.as_list()) - rank)
        return pad(tensor, [[0, size] for size in (*outer, *missing)])
    sizes: Any = array_shape.shape(tensor)
    wanted: Any = lengths
    if inverse:
        half: Any = lengths[-1:]
        half = where_v2(half > 0, half // 2 + 1, 0)
        wanted = array_concat.concat([lengths[:-1], half], 0)
    outer = array_fill.zeros([array_shape.rank(tensor) - rank], dtypes.int32)
    behind = array_concat.concat([outer, maximum(0, wanted - sizes[-rank:])], 0)
    return pad(tensor, array_concat.stack([array_fill.zeros_like(behind), behind], axis=1))


def _transform(name: str, rank: int, inverse: bool) -> Callable[[Any, Any, str | None], Tensor]:
    op = name.upper()
    taken = _REAL if inverse else _COMPLEX
    attr = "Treal" if inverse else "Tcomplex"

    def run(input_tensor: Any, fft_length: Any, label: str | None) -> Tensor:
        with name_scope(label, name, [input_tensor, fft_length]) as scope:
            hint = dtypes.complex64 if inverse else dtypes.float32
            tensor = convert_to_tensor(input_tensor, preferred_dtype=hint)
            if tensor.dtype not in taken:
                kinds = [f"tf.{kind.name}" for kind in taken]
                raise ValueError(f"{op} requires {' or '.join(kinds)} inputs, got: {tensor}")
            tensor.shape.with_rank_at_least(rank)
            if fft_length is None:
                lengths = _inferred_lengths(tensor, rank, inverse)
            else:
                lengths = convert_to_tensor(fft_length, dtype=dtypes.int32)
            tensor = _filled_up(tensor, rank, lengths, inverse)
            known = constant_value(lengths)
            if known is not None:
                lengths = convert_to_tensor(known, name="fft_length")
            return single(op, tensor, lengths, name=scope, **{attr: taken[tensor.dtype]})

    return run


_rfft, _rfft2d, _rfft3d = (
    _transform(f"rfft{suffix}", rank, False) for rank, suffix in ((1, ""), (2, "2d"), (3, "3d"))
)
_irfft, _irfft2d, _irfft3d = (
    _transform(f"irfft{suffix}", rank, True) for rank, suffix in ((1, ""), (2, "2d"), (3, "3d"))
)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of the last axis of a real tensor.

    Args:
      input_tensor: float32 or float64.
      fft_length: A vector with the number of points to transform: the signal is cut, or filled up
        with zeros. None for all that there are.
      name: Name of the operation.

    Returns:
      The first `fft_length // 2 + 1` elements of the spectrum; the others mirror them.

    Raises:
      ValueError: The tensor is of another type.
    """
    return _rfft(input_tensor, fft_length, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of the last two axes of a real tensor; see `rfft`."""
    return _rfft2d(input_tensor, fft_length, name)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of the last three axes of a real tensor; see `rfft`."""
    return _rfft3d(input_tensor, fft_length, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft`.

    Args:
      input_tensor: complex64 or complex128; the last axis holds `fft_length // 2 + 1` elements.
      fft_length: A vector with the number of points of the signal; an even one if None.
      name: Name of the operation.

    Raises:
      ValueError: The tensor is of another type.
    """
    return _irfft(input_tensor, fft_length, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d`; see `irfft`."""
    return _irfft2d(input_tensor, fft_length, name)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d`; see `irfft`."""
    return _irfft3d(input_tensor, fft_length, name)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves the element of frequency zero to the middle.

    Args:
      x: A spectrum.
      axes: Which axes; all if None.
      name: Name of the operation.
    """
    with name_scope(name, "fftshift") as scope:
        x = convert_to_tensor(x)
        shift: Any = _sizes(x, axes)
        return roll(x, shift // 2, _axes(x, axes), name=scope)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    with name_scope(name, "ifftshift") as scope:
        x = convert_to_tensor(x)
        shift: Any = _sizes(x, axes)
        return roll(x, -(shift // 2), _axes(x, axes), name=scope)


def _axes(x: Tensor, axes: Any) -> Any:
    if axes is not None:
        return axes
    rank = x.shape.rank
    return single("Range", 0, array_shape.rank(x), 1) if rank is None else list(range(rank))


def _sizes(x: Tensor, axes: Any) -> Any:
    sizes: Any = array_shape.shape(x)
    if axes is None:
        return sizes
    if isinstance(axes, int):
        return sizes[axes]
    places: Any = convert_to_tensor(axes, dtype=dtypes.int32)
    return gather(sizes, where_v2(places < 0, places + array_shape.rank(x), places))
