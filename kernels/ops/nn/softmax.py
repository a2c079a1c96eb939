"""Kernels of softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.reductions.small_rows import is_small, spread_sums
from dataflow.kernels.rows.softmaxes import softmax as library_softmax
from dataflow.kernels.threads.parallel import split_rows

_LARGE: Final = 1 << 16
"""Elements from which rows are taken in stretches."""
_WORTH: Final = 1 << 11
"""Elements from which it pays to ask oneDNN."""
_SECONDS: Final = 3e-9
"""What an element takes, about."""


@kernel("Softmax")
def softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(logits: Any) -> Any:
        powers = _shifted(xp, logits)
        xp.exp(powers, out=powers)
        powers /= spread_sums(powers) if is_small(powers) else _sums(xp, powers)
        return powers

    by_rows = _by_rows(xp, run)

    def softmaxes(logits: Any) -> Any:
        if xp is np and logits.ndim and logits.size >= _WORTH:
            found = library_softmax(logits.reshape(-1, logits.shape[-1]), run)
            if found is not None:
                return found.reshape(logits.shape)
        return by_rows(logits)

    return widened(softmaxes, node.input_dtypes[0])


@kernel("LogSoftmax")
def log_softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(logits: Any) -> Any:
        result = _shifted(xp, logits)
        powers = xp.exp(result)
        result -= xp.log(spread_sums(powers) if is_small(powers) else _sums(xp, powers))
        return result

    return widened(_by_rows(xp, run), node.input_dtypes[0])


def _by_rows(xp: Any, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of vectors along the last axis, of many of them by several threads."""
    if xp is not np:
        return function

    def run(logits: Any) -> Any:
        if logits.size < _LARGE or logits.ndim < 2:
            return function(logits)
        rows = logits.reshape(-1, logits.shape[-1])
        result = np.empty(rows.shape, rows.dtype)

        def piece(part: slice) -> None:
            result[part] = function(rows[part])

        split_rows(rows.shape[0], rows.size, _SECONDS, piece)
        return result.reshape(logits.shape)

    return run


def _shifted(xp: Any, logits: Any) -> Any:
    """The logits less their greatest one, which keeps the exponentials from overflowing."""
    if not logits.ndim:
        raise invalid(f"logits must have >= 1 dimension, got {shape_text(logits.shape)}")
    if not logits.size:
        return xp.empty_like(logits)
    if xp is not np:
        return logits - logits.max(axis=-1, keepdims=True)
    return logits - reduce_rows(np.maximum, logits)


def _sums(xp: Any, powers: Any) -> Any:
    if xp is not np:
        return powers.sum(axis=-1, keepdims=True)
    return reduce_rows(np.add, powers)
