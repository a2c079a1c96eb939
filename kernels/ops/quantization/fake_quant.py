"""Kernels of numbers rounded to those that few bits can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_ONE = np.float32(1)


class _Steps:
    """The steps of a node."""

    def __init__(self, node: KernelNode) -> None:
        bits = node.attr("num_bits")
        if not 2 <= bits <= 16:
            raise invalid("num_bits must be between 2 and 16, inclusive")
        self.first = np.float32(1 if node.attr("narrow_range") else 0)
        self.last = np.float32(2**bits - 1)

    def nudged(self, low: Any, high: Any) -> tuple[Any, Any, Any]:
        """The bounds, moved so that 0 is a step, and the width of one: Jacob et al., Quantization
        and training of neural networks (2017), section 3."""
        scale = (high - low) / (self.last - self.first)
        place = self.first - low / scale
        rounded = np.trunc(place + np.copysign(np.float32(0.5), place))
        zero = np.where(
            place < self.first, self.first, np.where(place > self.last, self.last, rounded)
        )
        zero = zero.astype(np.float32)
        return (self.first - zero) * scale, (self.last - zero) * scale, scale


def _rounded(inputs: Any, low: Any, high: Any, scale: Any) -> Any:
    """The nearest step of each number; where both bounds are 0 all numbers are."""
    # In this order, which tells where training has moved the lower bound above the upper one.
    clamped = np.maximum(np.minimum(inputs, high), low)
    return np.floor((clamped - low) * (_ONE / scale) + np.float32(0.5)) * scale + low


def _bounds(node: KernelNode) -> tuple[Any, Any]:
    low, high = (np.float32(node.attr(name)) for name in ("min", "max"))
    if not low < high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")
    return low, high


def _check_same(node: KernelNode, gradients: Any, inputs: Any) -> None:
    if np.shape(gradients) != np.shape(inputs):
        first, second = shape_text(np.shape(gradients)), shape_text(np.shape(inputs))
        raise invalid(
            f"Inputs to operation {node.name} of type {node.op} must have the same size and shape. "
            f" Input 0: {first} != input 1: {second}"
        )


@kernel("FakeQuantWithMinMaxArgs", host_inputs=("inputs",), host_outputs=("outputs",))
def by_args(node: KernelNode, xp: Any) -> Callable[..., Any]:
    nudged = _Steps(node).nudged(*_bounds(node))

    def run(inputs: Any) -> Any:
        with np.errstate(all="ignore"):
            return _rounded(inputs, *nudged)

    return run


@kernel(
    "FakeQuantWithMinMaxArgsGradient",
    host_inputs=("gradients", "inputs"),
    host_outputs=("backprops",),
)
def by_args_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    low, high, _ = _Steps(node).nudged(*_bounds(node))

    def run(gradients: Any, inputs: Any) -> Any:
        _check_same(node, gradients, inputs)
        return gradients * ((inputs >= low) & (inputs <= high)).astype(np.float32)

    return run


def _check_bounds(inputs: Any, low: Any, high: Any, per_channel: bool) -> None:
    rank = 1 if per_channel else 0
    for name, bound in (("min", low), ("max", high)):
        if np.ndim(bound) != rank:
            raise invalid(f"`{name}` must be rank {rank} but is rank {np.ndim(bound)}")
    if per_channel:
        if not np.ndim(inputs):
            raise invalid("`inputs` must be at least rank 1 but is rank 0")
        size = inputs.shape[-1]
        for name, bound in (("min", low), ("max", high)):
            if len(bound) != size:
                raise invalid(f"{name} has incorrect size, expected {size} was {len(bound)}")


@kernel(
    "FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxVarsPerChannel",
    host_inputs=("inputs", "min", "max"),
    host_outputs=("outputs",),
)
def by_vars(node: KernelNode, xp: Any) -> Callable[..., Any]:
    steps = _Steps(node)
    per_channel = node.op.endswith("PerChannel")

    def run(inputs: Any, low: Any, high: Any) -> Any:
        _check_bounds(inputs, low, high, per_channel)
        with np.errstate(all="ignore"):
            found = _rounded(inputs, *steps.nudged(low, high))
        return np.where((low == 0) & (high == 0), np.float32(0), found)

    return run


@kernel(
    "FakeQuantWithMinMaxVarsGradient",
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    host_inputs=("gradients", "inputs", "min", "max"),
    host_outputs=("backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"),
)
def by_vars_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    steps = _Steps(node)
    per_channel = "PerChannel" in node.op

    def run(gradients: Any, inputs: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        if np.shape(gradients) != np.shape(inputs):
            raise invalid("gradient and input must be the same size")
        _check_bounds(inputs, low, high, per_channel)
        with np.errstate(all="ignore"):
            least, most, _ = steps.nudged(low, high)
        empty = (low == 0) & (high == 0)
        axes = tuple(range(np.ndim(inputs) - 1)) if per_channel else None
        below, above = (inputs < least) & ~empty, (inputs > most) & ~empty
        inside = ((inputs >= least) & (inputs <= most)) | empty
        sums = (np.sum(gradients * side, axis=axes, dtype=np.float32) for side in (below, above))
        return (gradients * inside.astype(np.float32), *sums)

    return run
