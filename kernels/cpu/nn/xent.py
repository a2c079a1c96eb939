"""Kernels of the cross entropy of softmax, by several threads and of few numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import xent as generic
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.reductions.small_rows import is_small, spread_sums, sums
from dataflow.kernels.threads.parallel import split_rows

_LARGE: Final = 1 << 16
"""Elements from which rows are taken in stretches."""
_SECONDS: Final = 5e-9
"""What an element takes, about."""
_KEPT: Final = 256
"""Shapes of small matrices that something is kept for."""


_row_functions: Final = partial(reduce_rows, np.maximum), partial(reduce_rows, np.add)


@override(generic.softmax_cross_entropy, device="CPU")
def softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    large = generic.dense_function(xp, *_row_functions)
    wide, _ = generic.types_of(node)
    return generic.dense_by(node, xp, _by_size(_small_dense, large, wide))


@override(generic.sparse_softmax_cross_entropy, device="CPU")
def sparse_softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    large = generic.sparse_function(xp, *_row_functions)
    wide, _ = generic.types_of(node)
    return generic.sparse_by(node, xp, _by_size(_small_sparse, large, wide))


def _by_size(small: generic.Losses, large: generic.Losses, dtype: Any) -> generic.Losses:
    """A function for few numbers; one for more; and of many rows by several threads."""

    def run(logits: np.ndarray, labels: np.ndarray) -> Any:
        if logits.size < _LARGE:
            return small(logits, labels) if is_small(logits) else large(logits, labels)
        loss, backprop = np.empty(logits.shape[0], dtype), np.empty(logits.shape, dtype)

        def piece(part: slice) -> None:
            loss[part], backprop[part] = large(logits[part], labels[part])

        split_rows(logits.shape[0], logits.size, _SECONDS, piece)
        return loss, backprop

    return run


def _small_dense(logits: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for few numbers: of equal shapes, operations take a third of the time."""
    shifted = logits - np.maximum.reduce(logits, axis=1, keepdims=True)
    backprop = np.exp(shifted)
    totals = spread_sums(backprop)
    backprop /= totals
    backprop -= labels
    np.log(totals, totals)
    totals -= shifted
    totals *= labels
    return sums(totals), backprop


def _small_sparse(logits: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    shifted = logits - np.maximum.reduce(logits, axis=1, keepdims=True)
    backprop = np.exp(shifted)
    totals = spread_sums(backprop)
    backprop /= totals
    rows, columns = logits.shape
    backprop -= _unit_vectors(columns, logits.dtype.char).take(labels, 0)
    np.log(totals, totals)
    totals -= shifted
    return totals.take(labels + _row_starts(rows, columns)), backprop


@functools.cache
def _unit_vectors(size: int, code: str) -> np.ndarray:
    return np.eye(size, dtype=code)


@functools.lru_cache(maxsize=_KEPT)
def _row_starts(rows: int, columns: int) -> np.ndarray:
    """Where each row of a matrix begins in its elements."""
    return np.arange(0, rows * columns, columns)
