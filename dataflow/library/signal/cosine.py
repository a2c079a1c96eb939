"""Discrete cosine transforms, made of Fourier transforms: Makhoul (1980)."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.signal.fourier import irfft, rfft
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill
from dataflow.ops.array.pad import pad
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.trig import cos, sin
from dataflow.values import dtypes


def _check(input: Any, type: Any, n: Any, axis: Any, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        size = input.shape.as_list()[-1] if input.shape.rank is not None else None
        if size is not None and size < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _size(tensor: Any) -> Any:
    known = tensor.shape.as_list()[-1] if tensor.shape.rank is not None else None
    sizes: Any = array_shape.shape(tensor)
    return sizes[-1] if known is None else known


def _fitted(tensor: Any, count: int | None) -> Any:
    """The signal cut to `count` points, or filled up with zeros."""
    if count is None:
        return tensor
    size = _size(tensor)
    if isinstance(size, int):
        if count <= size:
            return tensor[..., :count]
        outer = [[0, 0]] * (tensor.shape.rank - 1)
        return pad(tensor, [*outer, [0, count - size]])
    tensor = tensor[..., :count]
    sizes: Any = array_shape.shape(tensor)
    missing: Any = concat([0 * sizes[:-1], [count - sizes[-1]]], 0)
    return pad(tensor, stack([0 * missing, missing], axis=1))


def _turn(angle: Any) -> Any:
    """exp(i angle)."""
    return math_complex.complex(cos(angle), sin(angle))


def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of the last axis.

    Args:
      input: float32 or float64, shape `[..., samples]`.
      type: 1, 2, 3 or 4: which of the transforms.
      n: How many points to transform: the signal is cut, or filled up with zeros.
      axis: -1.
      norm: None, or "ortho" for an orthogonal transform; not for type 1.
      name: Name of the scope of the operations.

    Raises:
      ValueError: An argument is none of these.
      NotImplementedError: Another axis is asked for.
    """
    with name_scope(name, "dct", [input, type, n, axis, norm]):
        tensor: Any = convert_to_tensor(input)
        _check(tensor, type, n, axis, norm)
        return _TYPES[type](_fitted(tensor, n), norm)


def _first(x: Any, _: Any) -> Tensor:
    turned: Any = reverse(x, [-1])
    mirrored = concat([x, turned[..., 1:-1]], axis=-1)
    return math_complex.real(rfft(mirrored))


def _second(x: Any, norm: Any) -> Tensor:
    size = _size(x)
    count: Any = cast(size, x.dtype)
    places: Any = _range(size, x.dtype)
    scale: Any = 2.0 * _turn(-places * np.pi * 0.5 / count)
    spectrum: Any = rfft(x, fft_length=[2 * size])
    found: Any = math_complex.real(spectrum[..., :size] * scale)
    if norm != "ortho":
        result: Tensor = found
        return result
    first = 0.5 * math_unary.rsqrt(count)
    rest = first * np.sqrt(2.0)
    weights = concat([[first], _filled(size - 1, rest)], axis=0)
    result = found * weights
    return result


def _range(size: Any, dtype: dtypes.DType) -> Tensor:
    places: Tensor = cast(range_of(size), dtype)
    return places


def _filled(count: Any, value: Any) -> Tensor:
    return fill([count], value)


def _third(x: Any, norm: Any) -> Tensor:
    size = _size(x)
    count: Any = cast(size, x.dtype)
    if norm == "ortho":
        first = math_unary.sqrt(count)
        rest: Any = first * np.sqrt(0.5)
        x = x * concat([[first], _filled(size - 1, rest)], axis=0)
    else:
        x = x * count
    places: Any = _range(size, x.dtype)
    scale: Any = 2.0 * _turn(places * np.pi * 0.5 / count)
    turned: Any = scale * math_complex.complex(x, 0.0 * x)
    signal: Any = irfft(turned, fft_length=[2 * size])
    result: Tensor = signal[..., :size]
    return result


def _fourth(x: Any, norm: Any) -> Tensor:
    size = _size(x)
    doubled: Any = _second(_doubled(x, size), None)
    found: Any = doubled[..., 1::2]
    if norm == "ortho":
        found = found * (np.sqrt(0.5) * math_unary.rsqrt(cast(size, x.dtype)))
    result: Tensor = found
    return result


def _doubled(x: Any, size: Any) -> Any:
    """The signal with as many zeros behind it."""
    if isinstance(size, int):
        return pad(x, [*[[0, 0]] * (x.shape.rank - 1), [0, size]])
    return concat([x, 0.0 * x], axis=-1)


_TYPES = {1: _first, 2: _second, 3: _third, 4: _fourth}
_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct`, but for a factor where it is not orthogonal.

    Args:
      input: float32 or float64, shape `[..., samples]`.
      type: That of the `dct`.
      n: None, or the number of points.
      axis: -1.
      norm: That of the `dct`.
      name: Name of the scope of the operations.

    Raises:
      ValueError: An argument is none of these.
      NotImplementedError: Another axis is asked for.
    """
    tensor: Any = convert_to_tensor(input)
    _check(tensor, type, n, axis, norm)
    return dct(tensor, type=_INVERSES[type], n=n, norm=norm, axis=axis, name=name)
