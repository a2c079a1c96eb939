"""Kernels that repeat a tensor along dimensions, and of shapes that broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("Tile", host_inputs=("multiples",))
def tile(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, multiples: Any) -> Any:
        if multiples.ndim != 1:
            raise invalid(
                f"Expected multiples to be 1-D, but got shape {shape_text(multiples.shape)}"
            )
        if len(multiples) != value.ndim:
            raise invalid(
                f"Expected multiples argument to be a vector of length {value.ndim} but got length "
                f"{len(multiples)}"
            )
        counts = multiples.tolist()
        for i, count in enumerate(counts):
            if count < 0:
                raise invalid(f"Expected multiples[{i}] >= 0, but got {count}")
        return xp.tile(value, counts) if counts else value

    return run


@kernel("BroadcastTo", host_inputs=("shape",), grows=True)
def broadcast_to(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, shape: Any) -> Any:
        if shape.ndim != 1:
            raise invalid(
                f"shape must be a vector of {{int32,int64}}, got shape {shape_text(shape.shape)}"
            )
        sizes = shape.tolist()
        for n in sizes:
            if n < 0:
                raise invalid(f"Dimension {n} must be >= 0")
        if value.ndim > len(sizes):
            raise invalid(
                f"Rank of input ({value.ndim}) must be no greater than rank of output shape "
                f"({len(sizes)})."
            )
        try:
            # A copy in the order of the view would have repeated axes last.
            return xp.array(xp.broadcast_to(value, sizes), order="C")
        except ValueError:
            texts = shape_text(value.shape), shape_text(sizes)
            raise invalid(f"Incompatible shapes: {texts[0]} vs. {texts[1]}") from None

    return run


@kernel("BroadcastArgs", host_inputs=("s0", "s1"), host_outputs=("r0",))
def broadcast_args(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(first: Any, second: Any) -> Any:
        a, b = _aligned(first, second)
        sizes = [n if m == 1 else m for m, n in zip(a, b, strict=True)]
        return np.array(sizes, first.dtype)

    return run


@kernel("BroadcastGradientArgs", host_inputs=("s0", "s1"), host_outputs=("r0", "r1"))
def broadcast_gradient_args(node: KernelNode, xp: Any) -> Callable[..., Any]:
    # Reductions know axes again that nobody can write to.
    none = np.zeros(0, node.output_dtypes[0].as_numpy_dtype)
    none.flags.writeable = False
    neither = none, none

    def run(first: Any, second: Any) -> Any:
        if first.shape == second.shape and first.tobytes() == second.tobytes():
            return neither
        a, b = _aligned(first, second)
        return _repeated(a, b, first.dtype), _repeated(b, a, first.dtype)

    return run


def _aligned(first: Any, second: Any) -> tuple[list[int], list[int]]:
    """Two shapes, the shorter one filled up with ones at the front."""
    for i, shape in enumerate((first, second)):
        if shape.ndim != 1:
            raise invalid(f"In[{i}] must be a vector.{shape_text(shape.shape)}")
    a, b = first.tolist(), second.tolist()
    rank = max(len(a), len(b))
    a = [1] * (rank - len(a)) + a
    b = [1] * (rank - len(b)) + b
    for m, n in zip(a, b, strict=True):
        if m != n and 1 not in (m, n):
            raise invalid(
                f"Incompatible shapes: {shape_text(first.tolist())} vs. "
                f"{shape_text(second.tolist())}"
            )
    return a, b


def _repeated(own: Sequence[int], other: Sequence[int], dtype: Any) -> Any:
    """The axes along which a tensor of one shape is repeated to fit the other."""
    axes = [i for i, (m, n) in enumerate(zip(own, other, strict=True)) if m == 1]
    return np.array(axes, dtype)
