"""Kernels that cut a tensor into pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel


def _checked_axis(axis: Any, rank: int) -> int:
    place = int(axis.reshape(()))
    if not -rank <= place < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {place}")
    return place % rank


def _places(axis: int, sizes: Sequence[int]) -> list[tuple[slice, ...]]:
    """The index of each piece."""
    before = (slice(None),) * axis
    ends = accumulate(sizes)
    return [(*before, slice(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


@kernel("Split", host_inputs=("split_dim",))
def split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count: int = node.attr("num_split")
    seen: tuple[Any, Any, list[tuple[slice, ...]]] = (None, (), [])

    def run(axis: Any, value: Any) -> Any:
        nonlocal seen
        known, shape, places = seen
        if axis is not known or value.shape != shape:
            places = split_places(axis, value)
            if is_fixed(axis):
                seen = (axis, value.shape, places)
        return list(map(value.__getitem__, places))

    def split_places(axis: Any, value: Any) -> list[tuple[slice, ...]]:
        if axis.ndim:
            raise invalid(f"split_dim must be a scalar but has rank {axis.ndim}")
        place = _checked_axis(axis, value.ndim)
        size, rest = divmod(value.shape[place], count)
        if rest:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {place} (size = {value.shape[place]}) and num_split {count}"
            )
        return _places(place, [size] * count)

    return run


@kernel("SplitV", host_inputs=("size_splits", "split_dim"))
def split_v(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count: int = node.attr("num_split")

    def run(value: Any, size_splits: Any, axis: Any) -> Any:
        if axis.size != 1:
            raise invalid("split_dim_tensor must have exactly one element.")
        place = _checked_axis(axis, value.ndim)
        if size_splits.ndim != 1 or size_splits.size != count:
            raise invalid(
                "size of the split_tensor must be 1-D and have the same elements as outputs got "
                f"{size_splits.ndim} -D and {size_splits.size} elements"
            )
        if count == 1:
            if size_splits[0] != value.shape[place]:
                raise invalid(
                    "If there is only one output, it must have the same size as the input. "
                    f"Input size: {value.shape[place]} output size: {size_splits[0]}"
                )
            return (value,)
        sizes = _resolved(size_splits.tolist(), value.shape[place])
        return [value[piece] for piece in _places(place, sizes)]

    return run


def _resolved(sizes: list[int], whole: int) -> list[int]:
    """The sizes of the pieces, with what is left in place of -1."""
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    given = sum(size for size in sizes if size != -1)
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {size}")
    if given > whole or (given < whole and -1 not in sizes):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {given}"
        )
    return [whole - given if size == -1 else size for size in sizes]
