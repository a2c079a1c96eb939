"""Fourier transforms of the last one, two or three axes, of complex and of real signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.complex as math_complex
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.shape_parts import with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    Gradient,
    InferenceContext,
    ShapeFunction,
    define_op,
)
from dataflow.schema.shape_functions import UNKNOWN, rank_at_least, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

_RANKS = {1: "", 2: "2D", 3: "3D"}
_REAL = "Treal: {float32, float64} = float32"
_COMPLEX = "Tcomplex: {complex64, complex128} = complex64"


def _real_shape(rank: int, inverse: bool) -> ShapeFunction:
    def shape(c: InferenceContext) -> TensorShape:
        signal = with_rank_at_least(c.input(0), rank)
        lengths = with_rank(c.input(1), 1).dims_tuple or (None,)
        with_size(lengths[0], rank)
        dims = signal.dims_tuple
        if dims is None:
            return UNKNOWN
        known = c.constant(1)
        if known is None:
            return TensorShape.of((*dims[:-rank], *[None] * rank))
        sizes: list[int | None] = []
        for axis, size in enumerate(known.tolist()):
            if not inverse and axis == rank - 1 and size:
                size = size // 2 + 1
            sizes.append(None if size < 0 else size)
        return TensorShape.of((*dims[:-rank], *sizes))

    return shape


def _size(tensor: Any, rank: int) -> Tensor:
    """How many elements are transformed together."""
    sizes: Any = array_shape.shape(tensor)
    return reductions.reduce_prod(sizes[-rank:])


def _complex_gradient(rank: int, inverse: bool) -> Gradient:
    back = f"{'' if inverse else 'I'}FFT{_RANKS[rank]}"

    def gradient(op: Operation, grad: Any) -> Tensor:
        found: Any = single(back, grad)
        scale: Any = cast(_size(grad, rank), grad.dtype.real_dtype)
        scale = 1 / scale if inverse else scale
        result: Tensor = found * math_complex.complex(scale, 0 * scale)
        return result

    return gradient


def _fitted(tensor: Any, shape: Any) -> Tensor:
    """The tensor cut or filled up with zeros at the end of each axis."""
    own: Any = array_shape.shape(tensor)
    kept = array_slice.slice(tensor, 0 * own, math_binary.minimum(own, shape))
    missing: Any = math_binary.maximum(shape - own, 0)
    return array_pad.pad(kept, array_concat.stack([0 * missing, missing], axis=1))


def _forward_gradient(rank: int) -> Gradient:
    """Of y = rfft(x): the real part of what the adjoint of the whole transform makes of the
    gradient, which is zero in the half that y leaves out."""

    def gradient(op: Operation, grad: Any) -> Any:
        sizes: Any = array_shape.shape(op.inputs[0])
        lengths = op.inputs[1]
        whole = array_concat.concat([sizes[:-rank], lengths], 0)
        scale = cast(reductions.reduce_prod(lengths), op.inputs[0].dtype)
        found: Any = math_complex.real(single(f"IFFT{_RANKS[rank]}", _fitted(grad, whole)))
        return _fitted(found * scale, sizes), None

    return gradient


def _backward_gradient(rank: int) -> Gradient:
    """Of y = irfft(x): each inner element of the last axis counts for its mirror image, too."""

    def gradient(op: Operation, grad: Any) -> Any:
        lengths: Any = op.inputs[1]
        found: Any = single(f"RFFT{_RANKS[rank]}", grad, lengths, Tcomplex=op.inputs[0].dtype)
        real = grad.dtype
        last: Any = lengths[-1]
        places: Any = single("Range", 0, last // 2 + 1, 1)
        alone = single("LogicalOr", single("Equal", places, 0), single("Equal", 2 * places, last))
        weights: Any = 2 - cast(alone, real)
        weights = weights / cast(reductions.reduce_prod(lengths), real)
        found = found * math_complex.complex(weights, 0 * weights)
        return _fitted(found, array_shape.shape(op.inputs[0])), None

    return gradient


def _real_gradient(make: Callable[[int], Gradient], rank: int) -> Gradient:
    return MISSING_GRADIENT if rank == 3 else make(rank)


for _rank, _suffix in _RANKS.items():
    _axes = "last axis" if _rank == 1 else f"last {_rank} axes"
    for _inverse, _letter in ((False, ""), (True, "I")):
        define_op(
            f"{_letter}FFT{_suffix}",
            inputs="input: Tcomplex",
            outputs="output: Tcomplex",
            attrs=[_COMPLEX],
            shape=rank_at_least(_rank),
            gradient=_complex_gradient(_rank, _inverse),
            doc=f"The {'inverse ' * _inverse}Fourier transform of the {_axes}.",
        )
    define_op(
        f"RFFT{_suffix}",
        inputs="input: Treal, fft_length: int32",
        outputs="output: Tcomplex",
        attrs=[_REAL, _COMPLEX],
        shape=_real_shape(_rank, inverse=False),
        gradient=_real_gradient(_forward_gradient, _rank),
        doc=f"The Fourier transform of the {_axes} of a real signal, without its mirror image.",
    )
    define_op(
        f"IRFFT{_suffix}",
        inputs="input: Tcomplex, fft_length: int32",
        outputs="output: Treal",
        attrs=[_REAL, _COMPLEX],
        shape=_real_shape(_rank, inverse=True),
        gradient=_real_gradient(_backward_gradient, _rank),
        doc=f"The real signal of which the transform of the {_axes} is given.",
    )


def fft(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last axis of a complex tensor."""
    return single("FFT", input, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    return single("IFFT", input, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last two axes of a complex tensor."""
    return single("FFT2D", input, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft2d`."""
    return single("IFFT2D", input, name=name)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last three axes of a complex tensor."""
    return single("FFT3D", input, name=name)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft3d`."""
    return single("IFFT3D", input, name=name)
