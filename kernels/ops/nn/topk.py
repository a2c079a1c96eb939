"""Kernels that rank the elements of an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

Rank = Callable[[Any, Any, int], Any]
"""`f(xp, x, k)`: places of the k greatest elements, descending, of equal ones the first first."""
Take = Callable[[Any, Any, Any], Any]
"""`f(xp, x, order)`: the elements of each row at the places in the same row of `order`."""
AreIn = Callable[[Any, Any, Any, int], Any]
"""`f(xp, predictions, targets, k)`: which targets are among the k greatest of their rows."""


def descending(xp: Any, x: Any, k: int) -> Any:
    """The places of the k greatest elements, by sorting."""
    size = x.shape[-1]
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


def _stable(xp: Any, x: Any) -> Any:
    """A stable descending order: that of the reversed row, ascending, from behind."""
    size = x.shape[-1]
    order = xp.argsort(x[..., ::-1], axis=-1, kind="stable")
    return size - 1 - order[..., ::-1]


def taken(xp: Any, x: Any, order: Any) -> Any:
    """The elements of each row at the places in the same row of `order`."""
    return xp.take_along_axis(x, order, axis=-1)


def are_in_top(xp: Any, predictions: Any, targets: Any, k: int) -> Any:
    """Fewer than k greater ones; never for a missing class or a row that is not finite."""
    rows, classes = predictions.shape
    exists = (targets >= 0) & (targets < classes)
    if not classes:
        return exists
    own = predictions[xp.arange(rows), xp.where(exists, targets, 0)]
    greater = (predictions > own[:, None]).sum(axis=1)
    return exists & (greater < k) & xp.isfinite(predictions).all(axis=1)


@kernel("TopK")
def top_k_attr(
    node: KernelNode, xp: Any, rank: Rank = descending, take: Take = taken
) -> Callable[..., Any]:
    k = node.attr("k")
    run = _top_k(node, xp, rank, take)
    return lambda x: run(x, k)


@kernel("TopKV2", host_inputs=("k",))
def top_k(
    node: KernelNode, xp: Any, rank: Rank = descending, take: Take = taken
) -> Callable[..., Any]:
    run = _top_k(node, xp, rank, take)

    def run_scalar(x: Any, k: Any) -> Any:
        if k.ndim:
            raise invalid(f"k must be scalar, got shape {shape_text(k.shape)}")
        return run(x, int(k))

    return run_scalar


@kernel("ApproxTopK")
def approximate_top_k(
    node: KernelNode, xp: Any, rank: Rank = descending, take: Take = taken
) -> Callable[..., Any]:
    k, axis, is_max = (node.attr(name) for name in ("k", "reduction_dimension", "is_max_k"))
    top = _top_k(node, xp, rank, take)

    def run(x: Any) -> Any:
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"Invalid reduction dimension: {axis}, of shape {shape_text(x.shape)}")
        moved = xp.ascontiguousarray(xp.moveaxis(x, axis, -1))
        values, places = top(moved if is_max else -moved, k)
        return tuple(
            xp.ascontiguousarray(xp.moveaxis(each, -1, axis))
            for each in (values if is_max else -values, places)
        )

    return run


def _top_k(node: KernelNode, xp: Any, rank: Rank, take: Take) -> Callable[[Any, int], Any]:
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
            order = rank(xp, x, k)
        return take(xp, x, order), order.astype(index_type)

    return run


@kernel("InTopK")
def in_top_k_attr(node: KernelNode, xp: Any, are_in: AreIn = are_in_top) -> Callable[..., Any]:
    k = node.attr("k")

    def run(predictions: Any, targets: Any) -> Any:
        _check(predictions, targets)
        return are_in(xp, predictions, targets, k)

    return run


@kernel("InTopKV2", host_inputs=("k",))
def in_top_k(node: KernelNode, xp: Any, are_in: AreIn = are_in_top) -> Callable[..., Any]:
    def run(predictions: Any, targets: Any, k: Any) -> Any:
        if k.ndim:
            raise invalid(f"k must be 0-D, got shape {shape_text(k.shape)}")
        _check(predictions, targets)
        return are_in(xp, predictions, targets, int(k))

    return run


def _check(predictions: Any, targets: Any) -> None:
    if predictions.ndim != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.ndim != 1:
        raise invalid("targets must be 1-dimensional")
    rows = predictions.shape[0]
    if rows != targets.shape[0]:
        raise invalid(
            f"First dimension of predictions {rows} must match length of targets {targets.shape[0]}"
        )


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
