"""Kernels of softmax and its logarithm, by oneDNN and by several threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import softmax as generic
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.rows.softmaxes import softmax as library_softmax
from dataflow.kernels.threads.parallel import split_rows

_LARGE: Final = 1 << 16
"""Elements from which rows are taken in stretches."""
_WORTH: Final = 1 << 11
"""Elements from which it pays to ask oneDNN."""
_SECONDS: Final = 3e-9
"""What an element takes, about."""

_row_functions: Final = partial(reduce_rows, np.maximum), partial(reduce_rows, np.add)


@override(generic.softmax, device="CPU")
def softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = generic.softmax_by(xp, *_row_functions)
    by_rows = _by_rows(run)

    def softmaxes(logits: Any) -> Any:
        if logits.ndim and logits.size >= _WORTH:
            found = library_softmax(logits.reshape(-1, logits.shape[-1]), run)
            if found is not None:
                return found.reshape(logits.shape)
        return by_rows(logits)

    return widened(softmaxes, node.input_dtypes[0])


@override(generic.log_softmax, device="CPU")
def log_softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return widened(_by_rows(generic.log_softmax_by(xp, *_row_functions)), node.input_dtypes[0])


def _by_rows(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of vectors along the last axis, of many of them by several threads."""

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
