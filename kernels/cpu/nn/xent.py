"""Kernels of the cross entropy of softmax, by several threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import xent as generic
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.threads.parallel import split_rows

_LARGE: Final = 1 << 16
"""Elements from which rows are taken in stretches."""
_SECONDS: Final = 5e-9
"""What an element takes, about."""

_row_functions: Final = partial(reduce_rows, np.maximum), partial(reduce_rows, np.add)


@override(generic.softmax_cross_entropy, device="CPU")
def softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    losses = generic.dense_function(xp, *_row_functions)
    wide, _ = generic.types_of(node)
    return generic.dense_by(node, xp, _by_rows(losses, wide))


@override(generic.sparse_softmax_cross_entropy, device="CPU")
def sparse_softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    losses = generic.sparse_function(xp, *_row_functions)
    wide, _ = generic.types_of(node)
    return generic.sparse_by(node, xp, _by_rows(losses, wide))


def _by_rows(function: generic.Losses, dtype: Any) -> generic.Losses:
    """The function of matrices, of many rows by several threads."""

    def run(logits: np.ndarray, labels: np.ndarray) -> Any:
        if logits.size < _LARGE:
            return function(logits, labels)
        loss, backprop = np.empty(logits.shape[0], dtype), np.empty(logits.shape, dtype)

        def piece(part: slice) -> None:
            loss[part], backprop[part] = function(logits[part], labels[part])

        split_rows(logits.shape[0], logits.size, _SECONDS, piece)
        return loss, backprop

    return run
