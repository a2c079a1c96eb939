"""Kernels of the reductions over axes, of large arrays by several threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.reductions import reduce as generic
from dataflow.kernels.ops.reductions.reduce import Axes, Reduce
from dataflow.kernels.reductions.contiguous import MANY
from dataflow.kernels.reductions.memory_order import in_memory_order
from dataflow.kernels.reductions.parts import LARGE
from dataflow.kernels.reductions.reductions import reduce_in_parts, reduced
from dataflow.kernels.reductions.short_rows import add_columns, are_short_rows
from dataflow.kernels.reductions.small_sums import SMALL, way_for

Way = Callable[[Any], Any]
"""What reduces arrays of one shape along some axes: those in C order, of less than `MANY` elements
all."""
FindWay = Callable[[tuple[int, ...], Axes, bool], "Way | None"]
"""`f(shape, axes, keep)`"""


class _Reduction(generic.Reduction):
    """The callable of a reduction that remembers how the last array was reduced."""

    __slots__ = ("_find", "_last")

    def __init__(self, node: KernelNode, reduce: Reduce, find: FindWay | None = None) -> None:
        """Prepares.

        Args:
          node: The node.
          reduce: Reduces along normalised axes.
          find: Gives what does the same with small arrays, if anything does; half of what a small
            reduction costs is to find out what it is.
        """
        super().__init__(node, reduce)
        self._find = find
        self._last: tuple[Any, Axes, bool, Way] = (None, (), False, np.asarray)

    def __call__(self, x: Any, indices: Any) -> Any:
        known, shape, is_small, way = self._last
        if indices is known and x.shape == shape and (is_small or x.flags.c_contiguous):
            return way(x)
        result = super().__call__(x, indices)
        known, _, axes = self._seen
        if self._find is not None and known is indices and axes:
            found = self._find(x.shape, axes, self.keep)
            if found is not None:
                self._last = (indices, x.shape, x.size < MANY, found)
        return result


def _sum(dtype: Any) -> Reduce:
    """The sum, kept in a type; of large arrays by several threads."""

    def part(x: Any, axis: Any, keepdims: bool) -> Any:
        return x.sum(axis=axis, dtype=dtype, keepdims=keepdims)

    def add(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY:
            if x.dtype == dtype:
                if x.size < SMALL and x.flags.c_contiguous:
                    way = way_for(x.shape, axes, keep, dtype)
                    if way is not None:
                        return way(x)
                short = are_short_rows(x.shape, axes)
                return add_columns(x, keep) if short else reduced(np.add, x, axes, keep)
            if x.size >= LARGE:
                return reduce_in_parts(part, part, x, axes, keep)
        return add_up(x, axes, dtype, None, keep)

    # The method calls a function in Python that calls this.
    add_up: Any = np.add.reduce
    dtype = np.dtype(dtype)
    return in_memory_order(add)


@override(generic.sum_, device="CPU")
def sum_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])
    return _Reduction(node, generic.narrowed(node, _sum(dtype)), _ways(node))


def _ways(node: KernelNode) -> FindWay | None:
    """Sums of a type that they keep."""
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)
    if dtype != accumulator(node.output_dtypes[0]):
        return None
    return lambda shape, axes, keep: way_for(shape, axes, keep, dtype)


@override(generic.prod, device="CPU")
def prod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY and x.dtype == dtype:
            return reduced(np.multiply, x, axes, keep)
        return x.prod(axis=axes, dtype=dtype, keepdims=keep)

    return generic.Reduction(node, generic.narrowed(node, reduce))


@override(generic.mean, device="CPU")
def mean(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0]
    if result.is_integer:
        return generic.mean(node, xp)
    dtype = accumulator(result)
    sums = _ways(node)

    def find(shape: tuple[int, ...], axes: Axes, keep: bool) -> Way | None:
        add = None if sums is None else sums(shape, axes, keep)
        count = dtype(math.prod(shape[axis] for axis in axes))
        return None if add is None or not count else lambda x: add(x) / count

    return _Reduction(node, generic.mean_by(node, _sum(dtype)), find)


@override(generic.extreme_value, device="CPU")
def extreme_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    extreme: Any = np.maximum if node.op == "Max" else np.minimum
    ufunc = extreme.reduce

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY:
            return reduced(extreme, x, axes, keep)
        return ufunc(x, axis=axes, keepdims=keep)

    def find(shape: tuple[int, ...], axes: Axes, keep: bool) -> Way | None:
        is_small = 0 < math.prod(shape) < MANY and node.output_dtypes[0] not in NARROW
        return (lambda x: ufunc(x, axes, None, None, keep)) if is_small else None

    in_order = in_memory_order(reduce)
    return _Reduction(node, generic.extreme_by(node, xp, in_order), find)
