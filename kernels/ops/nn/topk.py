"""Kernels that rank the elements of the last axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.threads.parallel import split_rows

_MOST_SEARCHED: Final = 8
"""Elements of a row up to which they are looked for one after the other,"""
_LEAST_SEARCHED: Final = 4
"""in rows at least so many times as long,"""
_MANY: Final = 1 << 10
"""of at least so many elements in all,"""
_SEARCHED: Final = frozenset("fdilq")
"""and of these type codes, for which `argmax` uses vectors."""
_SECONDS: Final = 5e-10
"""What an element takes in a search, about."""


@kernel("TopK")
def top_k_attr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    k = node.attr("k")
    run = _top_k(node, xp)
    return lambda x: run(x, k)


@kernel("TopKV2", host_inputs=("k",))
def top_k(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = _top_k(node, xp)

    def run_scalar(x: Any, k: Any) -> Any:
        if k.ndim:
            raise invalid(f"k must be scalar, got shape {shape_text(k.shape)}")
        return run(x, int(k))

    return run_scalar


def _top_k(node: KernelNode, xp: Any) -> Callable[[Any, int], Any]:
    index_type = node.output_dtypes[1].as_numpy_dtype

    def run(x: Any, k: int) -> Any:
        if k < 0:
            raise invalid(f"Need k >= 0, got {k}")
        if not x.ndim:
            raise invalid(f"input must be >= 1-D, got shape {shape_text(x.shape)}")
        if x.shape[-1] < k:
            raise invalid(f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
        if k == 1 and x.size:
            order = x.argmax(axis=-1)[..., None]
        else:
            order = _descending(xp, x, k)
        return _taken(xp, x, order), order.astype(index_type)

    return run


def _taken(xp: Any, x: Any, order: Any) -> Any:
    """The elements of each row at the places in the same row of `order`."""
    if xp is np and order.size and x.flags.c_contiguous:
        starts = np.arange(0, x.size, x.shape[-1]).reshape(*x.shape[:-1], 1)
        return x.reshape(-1).take(order + starts)
    return xp.take_along_axis(x, order, axis=-1)


def _descending(xp: Any, x: Any, k: int) -> Any:
    """Places of the k greatest elements, greatest first, of equal ones the first first."""
    size = x.shape[-1]
    if xp is np and 0 < k <= _MOST_SEARCHED and size >= _LEAST_SEARCHED * k:
        found = _one_by_one(x, k)
        if found is not None:
            return found
    if size > 4 * k > 0 and size > 64:
        # Only the candidates are sorted: all that are not below the k-th greatest element.
        rows = x.reshape(-1, size)
        bounds = xp.partition(rows, size - k, axis=-1)[:, size - k]
        counts = (rows >= bounds[:, None]).sum(axis=-1)
        if (counts == k).all():
            places = xp.nonzero(rows >= bounds[:, None])[1].reshape(-1, k)
            inner = _stable(xp, xp.take_along_axis(rows, places, axis=-1))
            chosen = xp.take_along_axis(places, inner, axis=-1)
            return chosen.reshape(*x.shape[:-1], k)
    return _stable(xp, x)[..., :k]


def _one_by_one(x: Any, k: int) -> Any:
    """The places by k searches for a greatest element; None if this type or array does not fit."""
    if x.dtype.char not in _SEARCHED or x.size < _MANY:
        return None
    rows = x.reshape(-1, x.shape[-1])
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    places = np.empty((len(rows), k), np.intp)
    are_right = True

    def run(part: slice) -> None:
        nonlocal are_right
        left = np.array(rows[part], order="C")
        flat, starts = left.reshape(-1), np.arange(0, left.size, left.shape[1])
        for rank in range(k):
            found = left.argmax(axis=1)
            places[part, rank] = found
            found += starts
            if rank and (flat.take(found) == least).any():
                # It may be one that was taken out before.
                are_right = False
            flat[found] = least

    split_rows(len(rows), x.size, k * _SECONDS, run)
    return places.reshape(*x.shape[:-1], k) if are_right else None


def _stable(xp: Any, x: Any) -> Any:
    """A stable descending order: that of the reversed row, ascending, from behind."""
    size = x.shape[-1]
    order = xp.argsort(x[..., ::-1], axis=-1, kind="stable")
    return size - 1 - order[..., ::-1]


@kernel("InTopK")
def in_top_k_attr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    k = node.attr("k")
    return lambda predictions, targets: _in_top_k(xp, predictions, targets, k)


@kernel("InTopKV2", host_inputs=("k",))
def in_top_k(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(predictions: Any, targets: Any, k: Any) -> Any:
        if k.ndim:
            raise invalid(f"k must be 0-D, got shape {shape_text(k.shape)}")
        return _in_top_k(xp, predictions, targets, int(k))

    return run


def _in_top_k(xp: Any, predictions: Any, targets: Any, k: int) -> Any:
    """Fewer than k greater ones; never for a missing class or a row that is not finite."""
    if predictions.ndim != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.ndim != 1:
        raise invalid("targets must be 1-dimensional")
    rows, classes = predictions.shape
    if rows != targets.shape[0]:
        raise invalid(
            f"First dimension of predictions {rows} must match length of targets {targets.shape[0]}"
        )
    if xp is np and classes:
        return _in_top_k_of_numpy(predictions, targets, k)
    exists = (targets >= 0) & (targets < classes)
    if not classes:
        return exists
    own = predictions[xp.arange(rows), xp.where(exists, targets, 0)]
    greater = (predictions > own[:, None]).sum(axis=1)
    return exists & (greater < k) & xp.isfinite(predictions).all(axis=1)


def _in_top_k_of_numpy(predictions: np.ndarray, targets: np.ndarray, k: int) -> Any:
    """The same; a product with ones counts and adds faster than a reduction of rows."""
    classes = predictions.shape[1]
    exists = None if are_below(targets, classes) else (targets >= 0) & (targets < classes)
    columns = targets if exists is None else np.where(exists, targets, 0)
    own = predictions.reshape(-1).take(columns + np.arange(0, predictions.size, classes))
    ones = np.ones(classes, np.float32)
    greater = (predictions > own[:, None]).view(np.int8).astype(np.float32).dot(ones)
    found = greater < k
    if not np.isfinite(predictions.dot(ones)).all():
        found &= np.isfinite(predictions).all(axis=1)
    return found if exists is None else found & exists


@kernel("NthElement", host_inputs=("n",))
def nth_element(node: KernelNode, xp: Any) -> Callable[..., Any]:
    reverse = node.attr("reverse")

    def run(x: Any, n: Any) -> Any:
        if n.ndim:
            raise invalid(f"N must be scalar but has rank {n.ndim}")
        place = int(n)
        if place < 0:
            raise invalid(f"n must be non-negative but is {place}")
        if not x.ndim:
            raise invalid("Input must be at least rank 1 but is rank 0")
        size = x.shape[-1]
        if size <= place:
            raise invalid(f"Input must have last dimension > n = {place}")
        place = size - 1 - place if reverse else place
        return xp.partition(x, place, axis=-1)[..., place]

    return run
