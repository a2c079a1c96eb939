"""Kernels of local response normalization and its gradient, by oneDNN and by several threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.ops.nn import lrn as generic
from dataflow.kernels.reductions.channel_windows import window_sums
from dataflow.kernels.rows import responses
from dataflow.kernels.threads.parallel import grain_of, items_of_call, split

_SECONDS: Final = 1.5e-9
_GRADIENT_SECONDS: Final = 3e-9
"""What an element takes, about,"""
_STEP_SECONDS: Final = 5e-10
"""and what it takes in one of the calls of numpy."""


@override(generic.lrn, device="CPU")
def lrn(node: KernelNode, xp: Any) -> Callable[..., Any]:
    attributes = radius, bias, alpha, beta = generic.attributes_of(node)
    simple = generic.normalizing(xp, attributes)

    def normalize(out: Any, x: Any) -> None:
        if responses.normalize(x, out, attributes, simple):
            return
        squares = window_sums(x.shape[-1], radius, alpha, "LRN squares")
        whole, norm = squares(len(x), lambda target: np.multiply(x, x, out=target))
        whole += bias
        _raise(whole, beta)
        np.divide(x, norm, out=out)

    return generic.normalization(node, lambda x: _by_rows(normalize, _SECONDS, x))


@override(generic.lrn_grad, device="CPU")
def lrn_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    radius, bias, alpha, beta = generic.attributes_of(node)

    def descend(out: Any, grad: Any, x: Any, y: Any) -> None:
        channels = x.shape[-1]
        squares = window_sums(channels, radius, alpha, "LRN squares")
        slopes = window_sums(channels, radius, 2 * alpha * beta, "LRN slopes")
        whole, norm = squares(len(x), lambda target: np.multiply(x, x, out=target))
        whole += bias
        product = workspace(np, "LRN product", x.shape, np.float32)
        np.multiply(grad, y, out=product)
        _, slope = slopes(len(x), lambda target: np.divide(product, norm, out=target))
        np.multiply(x, slope, out=product)
        _raise(whole, beta)
        np.divide(grad, norm, out=out)
        out -= product

    def compute(grad: Any, x: Any, y: Any) -> Any:
        return _by_rows(descend, _GRADIENT_SECONDS, grad, x, y)

    return generic.gradient(node, compute)


def _raise(norm: Any, beta: float) -> None:
    """Raises numbers to a power in place."""
    if beta == 1:
        return
    if beta == 0.5:
        np.sqrt(norm, out=norm)
    elif beta == 0.75:
        root = workspace(np, "LRN root", norm.shape, norm.dtype)
        np.sqrt(norm, out=norm)
        np.sqrt(norm, out=root)
        norm *= root
    else:
        np.power(norm, np.float32(beta), out=norm)


def _by_rows(function: Callable[..., None], seconds: float, *arrays: Any) -> Any:
    """What a function of rows makes of host arrays, by several threads.

    Args:
      function: Gets a part of the result, to fill, and the same rows of each array.
      seconds: What an element takes, about.
      *arrays: float32 (batch, height, width, channels), all of one shape.
    """
    shape = arrays[0].shape
    result = aligned.empty(shape, arrays[0].dtype)
    if not result.size:
        return result
    rows = [array.reshape(-1, shape[-1]) for array in (result, *arrays)]
    count = len(rows[0])
    step = items_of_call(count, result.size * _STEP_SECONDS)

    def run(first: int, last: int) -> None:
        for start in range(first * step, min(count, last * step), step):
            function(*(array[start : start + step] for array in rows))

    blocks = -(-count // step)
    split(blocks, grain_of(blocks, result.size * seconds), run)
    return result
