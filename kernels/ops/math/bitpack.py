"""Kernel of comparisons that are packed into bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes


@kernel("CompareAndBitpack")
def compare_and_bitpack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    are_bits = node.input_dtypes[0] is dtypes.bool

    def run(value: Any, threshold: Any) -> Any:
        if not value.ndim:
            raise invalid("Input should be at least a vector, but saw a scalar.")
        if threshold.ndim:
            raise invalid(f"Compare must be a scalar, but saw shape: {shape_text(threshold.shape)}")
        if value.shape[-1] % 8:
            raise invalid(
                "Inner dimension of input should be divisible by 8, but saw shape: "
                f"{shape_text(value.shape)}"
            )
        # TensorFlow packs truth values as they are, whatever the threshold.
        bits = value if are_bits else value > threshold
        packed = xp.packbits(xp.ascontiguousarray(bits).ravel())
        return packed.reshape((*value.shape[:-1], value.shape[-1] // 8))

    return run
