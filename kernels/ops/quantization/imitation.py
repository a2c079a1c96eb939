"""Kernels that round numbers to those that few bits can tell, in a range of the numbers' own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

_TYPES: Final = {"T": (dtypes.float32, dtypes.float64)}


def _attr_or(node: KernelNode, name: str, otherwise: Any) -> Any:
    try:
        return node.attr(name)
    except KeyError:
        return otherwise


class _Rounding:
    """How a node rounds, once the number of bits is known."""

    def __init__(self, node: KernelNode) -> None:
        self.signed = bool(node.attr("signed_input"))
        self.narrow = bool(_attr_or(node, "narrow_range", False))
        self.given = bool(node.attr("range_given"))
        self.up = _attr_or(node, "round_mode", b"HALF_TO_EVEN") == b"HALF_UP"
        self.axis = int(_attr_or(node, "axis", -1))

    def __call__(self, x: Any, low: Any, high: Any, bits: int) -> Any:
        """The rounded numbers; the bounds count if the range is given."""
        if not 0 < bits < (64 if self.signed else 63):
            signed = "true" if self.signed else "false"
            raise invalid(f"num_bits is out of range: {bits} with signed_input_ {signed}")
        if self.axis >= x.ndim:
            raise invalid(
                f"Axis requested is larger than input dimensions. Axis: {self.axis} Input "
                f"Dimensions: {x.ndim}"
            )
        axis = self.axis
        if self.given:
            low, high = (self._bound(x, each, name) for each, name in ((low, "min"), (high, "max")))
            wrong = np.asarray(low > high)
            if wrong.any():
                at = np.flatnonzero(wrong)[0]
                first, second = np.ravel(low)[at], np.ravel(high)[at]
                raise invalid(f"Invalid range: input_min {first:g} > input_max {second:g}")
        else:
            others = None if axis == -1 else tuple(i for i in range(x.ndim) if i != axis)
            if not x.size:
                return x
            low, high = np.min(x, axis=others), np.max(x, axis=others)
            if axis != -1:
                low, high = self._spread(x, low), self._spread(x, high)
        with np.errstate(all="ignore"):
            return self._round(x, low, high, bits)

    def _bound(self, x: Any, value: Any, name: str) -> Any:
        if self.axis == -1:
            if np.size(value) != 1:
                raise invalid(f"input_{name} must be a scalar, but got {shape_text(value.shape)}")
            return np.reshape(value, ())[()]
        if np.shape(value) != (x.shape[self.axis],):
            raise invalid(
                f"input_{name} has incorrect size, was {np.size(value)} expected "
                f"{x.shape[self.axis]} tensor with shape {shape_text(np.shape(value))}"
            )
        return self._spread(x, value)

    def _spread(self, x: Any, value: Any) -> Any:
        shape = [1] * x.ndim
        shape[self.axis] = -1
        return np.reshape(value, shape)

    def _round(self, x: Any, low: Any, high: Any, bits: int) -> Any:
        number = x.dtype.type
        if self.signed:
            least, most = -(1 << (bits - 1)) + self.narrow, (1 << (bits - 1)) - 1
        else:
            least, most = 0, (1 << bits) - 1
        largest = np.finfo(x.dtype).max
        first, last = number(least), number(most)
        from_low = np.where(first * low > 0, first / low, largest)
        from_high = np.where(last * high > 0, last / high, largest)
        by_low = from_low < from_high
        scale = np.where(by_low, from_low, from_high)
        inverse = np.where(by_low, low / first, high / last)
        if self.given:
            high = np.where(by_low, last * inverse, high)
            low = np.where(by_low, low, first * inverse)
            x = np.maximum(np.minimum(x, high), low)
        scaled = x * scale
        rounded = np.floor(scaled + number(0.5)) if self.up else np.rint(scaled)
        return rounded * inverse


@kernel("QuantizeAndDequantize", device="CPU", dtypes=_TYPES)
def between_attrs(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rounding, bits = _Rounding(node), node.attr("num_bits")
    bounds = node.attr("input_min"), node.attr("input_max")

    def run(x: Any) -> Any:
        low, high = (x.dtype.type(bound) for bound in bounds)
        return rounding(x, low, high, bits)

    return run


@kernel("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4", device="CPU", dtypes=_TYPES)
def by_attr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rounding, bits = _Rounding(node), node.attr("num_bits")
    return lambda x, low, high: rounding(x, low, high, bits)


@kernel("QuantizeAndDequantizeV3", device="CPU", dtypes=_TYPES)
def by_input(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rounding = _Rounding(node)

    def run(x: Any, low: Any, high: Any, bits: Any) -> Any:
        if np.ndim(bits):
            raise invalid(f"num_bits must be a scalar, but got shape {shape_text(bits.shape)}")
        return rounding(x, low, high, int(bits))

    return run


@kernel("QuantizeAndDequantizeV4Grad", device="CPU", dtypes=_TYPES)
def gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis = node.attr("axis")

    def run(grad: Any, x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        if np.shape(grad) != np.shape(x):
            raise invalid("gradient and input must be the same size")
        if axis >= x.ndim:
            raise invalid(f"Axis should be less than the rank of the input: {axis} vs. {x.ndim}")
        shape: tuple[int, ...] = () if axis == -1 else (x.shape[axis],)
        for name, value in (("min", low), ("max", high)):
            if np.shape(value) != shape:
                raise invalid(
                    f"Input {name} tensor must have shape {shape_text(shape)} but has "
                    f"{shape_text(np.shape(value))}"
                )
        if axis != -1:
            spread = [1] * x.ndim
            spread[axis] = -1
            low, high = low.reshape(spread), high.reshape(spread)
        inside = np.where((x >= low) & (x <= high), grad, x.dtype.type(0))
        return inside, np.zeros(shape, x.dtype), np.zeros(shape, x.dtype)

    return run
