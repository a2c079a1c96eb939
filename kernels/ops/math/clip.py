"""Kernel of clipping to an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS, SIGNED
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.formula import computed, steps_of, tells
from dataflow.values import dtypes

_TYPES = (*FLOATS, *SIGNED, dtypes.uint8, dtypes.uint16, *COMPLEX)


@kernel("ClipByValue", elementwise=True, dtypes={"T": _TYPES})
def clip(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_complex = node.input_dtypes[0].is_complex

    def run(t: Any, low: Any, high: Any) -> Any:
        if any(bound.ndim and bound.shape != t.shape for bound in (low, high)):
            raise invalid(
                "clip_value_min and clip_value_max must be either of the same shape as input, or "
                f"a scalar. input shape: {shape_text(t.shape)}clip_value_min shape: "
                f"{shape_text(low.shape)}clip_value_max shape: {shape_text(high.shape)}"
            )
        return clipped(t, low, high)

    compute = computed(node, xp, _clipped, widens=False)

    def clipped(t: Any, low: Any, high: Any) -> Any:
        if not is_complex:
            return compute(t, low, high)
        # Real and imaginary parts are clipped each for itself.
        out = xp.empty(t.shape, t.dtype)
        out.real = xp.maximum(xp.minimum(t.real, high.real), low.real)
        out.imag = xp.maximum(xp.minimum(t.imag, high.imag), low.imag)
        return out[()]

    return run if is_complex else tells(run, steps_of(_clipped, 3))


def _clipped(xp: Any, t: Any, low: Any, high: Any) -> Any:
    return xp.maximum(xp.minimum(t, high), low)
