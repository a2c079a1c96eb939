"""Kernels of the Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

_WIDE: Final = (dtypes.float64, dtypes.complex128)


def _rank(node: KernelNode) -> int:
    return int(node.op[-2]) if node.op.endswith("D") else 1


def _check_rank(signal: Any, rank: int) -> None:
    if np.ndim(signal) < rank:
        raise invalid(
            f"Input must have rank of at least {rank} but got: {shape_text(np.shape(signal))}"
        )


@kernel(
    "FFT",
    "FFT2D",
    "FFT3D",
    "IFFT",
    "IFFT2D",
    "IFFT3D",
    host_inputs=("input",),
    host_outputs=("output",),
)
def complex_transform(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy import fft

    rank = _rank(node)
    transform = fft.ifftn if node.op.startswith("I") else fft.fftn
    axes = range(-rank, 0)

    def run(signal: Any) -> Any:
        _check_rank(signal, rank)
        if not signal.size:
            return np.empty(signal.shape, signal.dtype)
        return transform(signal, axes=axes)

    return run


@kernel(
    "RFFT",
    "RFFT2D",
    "RFFT3D",
    "IRFFT",
    "IRFFT2D",
    "IRFFT3D",
    host_inputs=("input", "fft_length"),
    host_outputs=("output",),
)
def real_transform(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy import fft

    rank, inverse = _rank(node), node.op.startswith("I")
    transform = fft.irfftn if inverse else fft.rfftn
    axes = range(-rank, 0)
    made = node.output_dtypes[0]
    kinds = [node.input_dtypes[0], made]
    fits = (kinds[0] in _WIDE) == (kinds[1] in _WIDE)

    def run(signal: Any, fft_length: Any) -> Any:
        if not fits:
            way = "backward" if inverse else "forward"
            numbers = [kind.as_datatype_enum for kind in kinds]
            raise invalid(f"Wrong types for {way} real FFT: in={numbers[0]} out={numbers[1]}")
        _check_rank(signal, rank)
        if np.shape(fft_length) != (rank,):
            raise invalid(f"fft_length must have shape [{rank}]")
        lengths = [int(n) for n in fft_length]
        for axis, length in enumerate(lengths):
            if length < 0:
                raise invalid(f"fft_length[{axis}] must >= 0, but got: {length}")
        needed, sizes = list(lengths), list(lengths)
        half = lengths[-1] // 2 + 1 if lengths[-1] else 0
        (needed if inverse else sizes)[-1] = half
        outer, inner = signal.shape[:-rank], signal.shape[-rank:]
        shape = (*outer, *sizes)
        if not signal.size:
            return _nothing(shape, made, signal)
        for axis, (have, need) in enumerate(zip(inner, needed, strict=True)):
            if have < need:
                raise invalid(
                    f"Input dimension {axis} must have length of at least {need} but got: {have}"
                )
        if 0 in lengths:
            return np.empty(shape, made.as_numpy_dtype)
        return transform(signal, s=lengths, axes=axes)

    return run


def _nothing(shape: tuple[int, ...], made: dtypes.DType, signal: Any) -> Any:
    """Of a signal without elements: zeros, of which there are no more than a signal could make."""
    if 0 in shape:
        return np.empty(shape, made.as_numpy_dtype)
    raise invalid(
        f"Input has no elements, of shape {shape_text(signal.shape)}, and the output would have "
        f"shape {shape_text(shape)}"
    )
