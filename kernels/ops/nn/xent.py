"""Kernels of the cross entropy of softmax: the losses and their gradients at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.quick import quick

Losses = Callable[[Any, Any], Any]
"""Losses and gradients of matrices of logits and of labels."""
OfRows = Callable[[Any], Any]
"""A number for each row of a matrix, in a column."""


@kernel("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return dense_by(node, xp, dense_function(xp, *_row_functions(xp)))


def dense_by(node: KernelNode, xp: Any, compute: Losses) -> Callable[..., Any]:
    """The callable, by a function of checked matrices that are not empty."""
    wide, narrow = types_of(node)

    def run(logits: Any, labels: Any) -> Any:
        logits, labels = _broadcast(xp, logits, labels)
        logits, labels = logits.astype(wide, copy=False), labels.astype(wide, copy=False)
        if not logits.size:
            return xp.zeros(logits.shape[0], narrow), xp.empty(logits.shape, narrow)
        loss, backprop = compute(logits, labels)
        return loss.astype(narrow, copy=False), backprop.astype(narrow, copy=False)

    return run


def dense_function(xp: Any, greatest: OfRows, add_up: OfRows) -> Losses:
    """Losses for labels that are probabilities."""

    def dense(logits: Any, labels: Any) -> Any:
        shifted = logits - greatest(logits)
        backprop = quick(xp).exp(shifted)
        total = add_up(backprop)
        loss = add_up(labels * (quick(xp).log(total) - shifted))[:, 0]
        backprop /= total
        backprop -= labels
        return loss, backprop

    return dense


@kernel("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return sparse_by(node, xp, sparse_function(xp, *_row_functions(xp)))


def sparse_by(node: KernelNode, xp: Any, compute: Losses) -> Callable[..., Any]:
    """The callable, by a function of checked logits, not empty, and labels."""
    wide, narrow = types_of(node)

    def run(logits: Any, labels: Any) -> Any:
        _check_sparse(logits, labels)
        if not logits.size:
            return xp.zeros(logits.shape[0], narrow), xp.empty(logits.shape, narrow)
        loss, backprop = compute(logits.astype(wide, copy=False), labels)
        return loss.astype(narrow, copy=False), backprop.astype(narrow, copy=False)

    return run


def sparse_function(xp: Any, greatest: OfRows, add_up: OfRows) -> Losses:
    """Losses for labels that are numbers of classes."""

    def sparse(logits: Any, labels: Any) -> Any:
        # What is computed lies as they do, and must be seen as one row that can be written to.
        logits = xp.ascontiguousarray(logits)
        shifted = logits - greatest(logits)
        backprop = quick(xp).exp(shifted)
        total = add_up(backprop)
        # Places of the labels in all rows, one after the other.
        place = xp.arange(0, logits.size, logits.shape[1])
        place += labels
        loss = quick(xp).log(total[:, 0])
        loss -= shifted.reshape(-1)[place]
        backprop /= total
        backprop.reshape(-1)[place] -= 1
        return loss, backprop

    return sparse


def _row_functions(xp: Any) -> tuple[OfRows, OfRows]:
    """The greatest number and the sum of each row."""
    return partial(xp.amax, axis=1, keepdims=True), partial(xp.sum, axis=1, keepdims=True)


def types_of(node: KernelNode) -> tuple[Any, Any]:
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
