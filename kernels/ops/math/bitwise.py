"""Kernels of bit operations on integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel

_FUNCTIONS: Final = {
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Invert": "invert",
}


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]


@kernel("LeftShift", "RightShift", elementwise=True)
def shift(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The shift, by at least 0 and at most all but one of the bits."""
    move = xp.left_shift if node.op == "LeftShift" else xp.right_shift
    dtype = node.input_dtypes[0].as_numpy_dtype
    none, most = dtype(0), dtype(node.input_dtypes[0].size * 8 - 1)
    return lambda x, y: move(x, xp.minimum(xp.maximum(y, none), most))


@kernel("PopulationCount", elementwise=True)
def population_count(node: KernelNode, xp: Any) -> Callable[..., Any]:
    size = node.input_dtypes[0].size
    unsigned = np.dtype(f"u{size}")

    def run(x: Any) -> Any:
        bits = xp.asarray(x).astype(unsigned)
        parts = xp.ascontiguousarray(bits).view(np.uint8).reshape((*bits.shape, size))
        return (
            xp.unpackbits(parts.ravel())
            .reshape((*bits.shape, 8 * size))
            .sum(axis=-1, dtype=np.uint8)
        )

    return run
