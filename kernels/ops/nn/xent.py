"""Kernels of the cross entropy of softmax: the losses and their gradients at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.contiguous import reduce_rows
from dataflow.kernels.reductions.small_rows import is_small, spread_sums, sums
from dataflow.kernels.threads.parallel import split_rows

_LARGE: Final = 1 << 16
"""Elements from which rows are taken in stretches."""
_SECONDS: Final = 5e-9
"""What an element takes, about."""
_KEPT: Final = 256
"""Shapes of small matrices that something is kept for."""


@kernel("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    wide, narrow = _types(node)
    greatest, add_up = _row_functions(xp)

    def dense(logits: Any, labels: Any) -> Any:
        if is_small(logits):
            return _small_dense(logits, labels)
        shifted = logits - greatest(logits)
        backprop = xp.exp(shifted)
        total = add_up(backprop)
        loss = add_up(labels * (xp.log(total) - shifted))[:, 0]
        backprop /= total
        backprop -= labels
        return loss, backprop

    def run(logits: Any, labels: Any) -> Any:
        logits, labels = _broadcast(xp, logits, labels)
        logits, labels = logits.astype(wide, copy=False), labels.astype(wide, copy=False)
        if not logits.size:
            return xp.zeros(logits.shape[0], narrow), xp.empty(logits.shape, narrow)
        loss, backprop = _by_rows(xp, dense, wide, logits, labels)
        return loss.astype(narrow, copy=False), backprop.astype(narrow, copy=False)

    return run


@kernel("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    wide, narrow = _types(node)
    greatest, add_up = _row_functions(xp)
    one = xp.ones((), wide)

    def sparse(logits: Any, labels: Any) -> Any:
        if is_small(logits):
            return _small_sparse(logits, labels)
        shifted = logits - greatest(logits)
        backprop = xp.exp(shifted)
        total = add_up(backprop)
        # Places of the labels in all rows, one after the other.
        place = xp.arange(0, logits.size, logits.shape[1])
        place += labels
        loss = xp.log(total[:, 0])
        loss -= shifted.reshape(-1)[place]
        backprop /= total
        backprop.reshape(-1)[place] -= one
        return loss, backprop

    def run(logits: Any, labels: Any) -> Any:
        _check_sparse(logits, labels)
        if not logits.size:
            return xp.zeros(logits.shape[0], narrow), xp.empty(logits.shape, narrow)
        loss, backprop = _by_rows(xp, sparse, wide, logits.astype(wide, copy=False), labels)
        return loss.astype(narrow, copy=False), backprop.astype(narrow, copy=False)

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


def _by_rows(
    xp: Any, function: Callable[[Any, Any], Any], dtype: Any, logits: Any, labels: Any
) -> Any:
    """Losses and gradients of all rows, of many of them by several threads."""
    if xp is not np or logits.size < _LARGE:
        return function(logits, labels)
    loss, backprop = np.empty(logits.shape[0], dtype), np.empty(logits.shape, dtype)

    def run(part: slice) -> None:
        loss[part], backprop[part] = function(logits[part], labels[part])

    split_rows(logits.shape[0], logits.size, _SECONDS, run)
    return loss, backprop


def _row_functions(xp: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The greatest number and the sum of each row, in a column."""
    if xp is np:
        return partial(reduce_rows, np.maximum), partial(reduce_rows, np.add)
    return partial(xp.amax, axis=1, keepdims=True), partial(xp.sum, axis=1, keepdims=True)


def _types(node: KernelNode) -> tuple[Any, Any]:
    """The type to compute in, and that of the results."""
    dtype = node.input_dtypes[0].base_dtype
    narrow = dtype.as_numpy_dtype
    return (np.float32 if dtype in NARROW else narrow), narrow


def _broadcast(xp: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    if logits.shape != labels.shape:
        try:
            shape = np.broadcast_shapes(logits.shape, labels.shape)
        except ValueError:
            raise invalid(
                "logits and labels must be broadcastable: logits_size="
                f"{shape_text(logits.shape)} labels_size={shape_text(labels.shape)}",
            ) from None
        logits, labels = xp.broadcast_to(logits, shape), xp.broadcast_to(labels, shape)
    if logits.ndim != 2:
        raise invalid(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional",
        )
    return logits, labels


def _check_sparse(logits: Any, labels: Any) -> None:
    text = ""
    if logits.ndim != 2:
        text = f"logits must be 2-D, but got shape {shape_text(logits.shape)}"
    elif labels.ndim != 1:
        text = f"labels must be 1-D, but got shape {shape_text(labels.shape)}"
    elif logits.shape[0] != labels.shape[0]:
        text = (
            "logits and labels must have the same first dimension, got logits shape "
            f"{shape_text(logits.shape)} and labels shape {shape_text(labels.shape)}"
        )
    elif not logits.shape[1]:
        text = f"Must have at least one class, but got logits shape {shape_text(logits.shape)}"
    else:
        classes = logits.shape[1]
        if are_below(labels, classes):
            return
        outside = labels[(labels < 0) | (labels >= classes)]
        if outside.size:
            values = " ".join(map(str, labels.tolist()))
            text = (
                f"Received a label value of {int(outside[0])} which is outside the valid range of "
                f"[0, {classes}).  Label values: {values}"
            )
    if text:
        raise invalid(text)
