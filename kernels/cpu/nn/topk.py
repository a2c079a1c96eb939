"""Kernels that rank the elements of the last axis: by searches, sorted keys, products with ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import topk as generic
from dataflow.kernels.threads.parallel import split_rows

_SEARCHES: Final = ((8, 4), (20, 10))
"""Elements of a row up to which they are looked for one after the other, in rows at least so many
times as long,"""
_MANY: Final = 1 << 10
"""of at least so many elements in all,"""
_SEARCHED: Final = frozenset("fdilq")
"""and of these type codes, for which `argmax` uses vectors."""
_KEYED: Final = frozenset("fi")
"""Type codes of 32 bits whose order is that of integers."""
_SORTED: Final = 2e-8
"""What an element takes in a sort,"""
_SECONDS: Final = 5e-10
"""and in a search, about."""


@override(generic.top_k_attr, device="CPU")
def top_k_attr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.top_k_attr(node, xp, _descending, _taken)


@override(generic.top_k, device="CPU")
def top_k(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.top_k(node, xp, _descending, _taken)


@override(generic.approximate_top_k, device="CPU")
def approximate_top_k(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.approximate_top_k(node, xp, _descending, _taken)


def _taken(xp: Any, x: Any, order: Any) -> Any:
    if order.size and x.flags.c_contiguous:
        starts = np.arange(0, x.size, x.shape[-1]).reshape(*x.shape[:-1], 1)
        return x.reshape(-1).take(order + starts)
    return generic.taken(xp, x, order)


def _descending(xp: Any, x: Any, k: int) -> Any:
    if k and any(k <= most and x.shape[-1] >= times * k for most, times in _SEARCHES):
        found = _one_by_one(x, k)
        if found is not None:
            return found
    is_keyed = x.dtype.char in _KEYED and x.size >= _MANY and 4 * k >= x.shape[-1]
    if is_keyed and not (x.dtype.kind == "f" and np.isnan(x).any()):
        return _by_keys(x)[..., :k]
    return generic.descending(xp, x, k)


def _by_keys(x: Any) -> Any:
    """The places of all elements, sorted as the lower halves of integers whose upper halves rank.

    numpy sorts integers with vectors, in a third to a sixth of the time of a stable search for
    places: what a sort of a tensor, or the order of boxes by score, takes.
    """
    rows = x.reshape(-1, x.shape[-1])
    places = np.empty(rows.shape, np.int64)

    def run(part: slice) -> None:
        keys, given = places[part], rows[part]
        if given.dtype.kind == "f":
            # As integers floats have their order from 0 on; both zeros are one.
            bits = (given + given.dtype.type(0)).view(np.int32)
            given = bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))
        np.left_shift(~given, 32, out=keys, dtype=np.int64)
        keys |= np.arange(keys.shape[1])
        keys.sort(axis=-1)
        keys &= 0xFFFFFFFF

    split_rows(len(rows), x.size, _SORTED, run)
    return places.reshape(x.shape)


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


@override(generic.in_top_k_attr, device="CPU")
def in_top_k_attr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.in_top_k_attr(node, xp, _are_in_top)


@override(generic.in_top_k, device="CPU")
def in_top_k(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.in_top_k(node, xp, _are_in_top)


def _are_in_top(xp: Any, predictions: np.ndarray, targets: np.ndarray, k: int) -> Any:
    """The same: a product with ones counts and adds faster than a reduction of rows."""
    classes = predictions.shape[1]
    if not classes:
        return generic.are_in_top(xp, predictions, targets, k)
    exists = None if are_below(targets, classes) else (targets >= 0) & (targets < classes)
    columns = targets if exists is None else np.where(exists, targets, 0)
    own = predictions.reshape(-1).take(columns + np.arange(0, predictions.size, classes))
    ones = np.ones(classes, np.float32)
    greater = (predictions > own[:, None]).view(np.int8).astype(np.float32).dot(ones)
    found = greater < k
    if not np.isfinite(predictions.dot(ones)).all():
        found &= np.isfinite(predictions).all(axis=1)
    return found if exists is None else found & exists
