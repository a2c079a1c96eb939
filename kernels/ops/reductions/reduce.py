"""Kernels of the reductions over axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import NUMBERS, REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.reductions.contiguous import MANY, as_block
from dataflow.kernels.reductions.parts import LARGE, Parts, Partwise, parts_of, parts_of_rows
from dataflow.kernels.reductions.reductions import reduce_in_parts, reduced, reduced_shape
from dataflow.kernels.reductions.short_rows import add_columns, are_short_rows

Axes = tuple[int, ...]
Reduce = Callable[[Any, Axes, bool], Any]
"""`f(x, axes, keep)`, the axes normalised."""
Cut = Callable[[tuple[int, ...], Any, Axes], "Parts | None"]
"""`f(shape, dtype, axes)`: the parts for an operand."""


class _Reduction(Partwise):
    """The callable of a reduction."""

    __slots__ = ("_changes", "_cut", "_keep", "_reduce", "_seen")

    def __init__(self, node: KernelNode, reduce: Reduce, cut: Cut | None = None) -> None:
        """Prepares.

        Args:
          node: The node.
          reduce: Reduces along normalised axes.
          cut: Gives the parts in which it does so, if there are any.
        """
        self._reduce = reduce
        self._cut = cut
        self._keep = bool(node.attr("keep_dims"))
        self._changes = node.op == "EuclideanNorm"
        # Axes are nearly always a constant: the same read-only array in every step.
        self._seen: tuple[Any, int, Axes] = (None, 0, ())

    def __call__(self, x: Any, indices: Any) -> Any:
        known, rank, axes = self._seen
        if indices is not known or rank != x.ndim:
            axes = _normalised(indices, x.ndim)
            if not indices.flags.writeable:
                self._seen = (indices, x.ndim, axes)
        # Along no axis nothing is added up, not even a -0.0 to a 0.
        return self._reduce(x, axes, self._keep) if axes or self._changes else x.copy()

    def parts(self, shape: Axes, dtype: Any, indices: Any) -> Parts | None:
        # Fewer elements are reduced in another way.
        if self._cut is None or math.prod(shape) < MANY:
            return None
        try:
            axes = _normalised(indices, len(shape))
        except InvalidArgumentError:
            return None  # The kernel says so when it is called.
        if not axes:
            return None
        parts = self._cut(shape, dtype, axes)
        if parts is None:
            return None
        result, then = reduced_shape(shape, axes, self._keep), parts.finish

        return replace(parts, finish=lambda total: then(total.reshape(result))[()])


def _cut_for(ufunc: Any, accumulated: Any) -> Cut:
    """The parts of `ufunc.reduce` for operands that it leaves their type."""

    def cut(shape: tuple[int, ...], dtype: Any, axes: Axes) -> Parts | None:
        block = as_block(shape, axes)
        if dtype != accumulated or block is None:
            return None
        if ufunc is np.add and are_short_rows(shape, axes):
            return parts_of_rows(_add_columns, block, dtype)
        return parts_of(ufunc, block, dtype)

    return cut


def _add_columns(block: np.ndarray) -> np.ndarray:
    return add_columns(block[:, :, 0], True)


def _normalised(indices: Any, rank: int) -> Axes:
    axes = []
    for axis in np.ravel(indices).tolist():
        if not -rank <= axis < rank:
            raise invalid(
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)",
            )
        axes.append(axis % rank)
    if len(set(axes)) < len(axes):
        double = next(a for i, a in enumerate(axes) if a in axes[:i])
        raise invalid(
            f"Invalid reduction arguments: Axes contains duplicate dimension: {double}",
        )
    return tuple(axes)


def _narrowed(node: KernelNode, reduce: Reduce) -> Reduce:
    """The reduction, its result cast back where it is accumulated in a wider type."""
    dtype = node.output_dtypes[0]
    if dtype not in NARROW:
        return reduce
    narrow = dtype.as_numpy_dtype
    return lambda x, axes, keep: reduce(x, axes, keep).astype(narrow)


def _sum(dtype: Any, xp: Any) -> Reduce:
    """The sum, kept in a type; of large arrays by several threads."""

    def part(x: Any, axis: Any, keepdims: bool) -> Any:
        return x.sum(axis=axis, dtype=dtype, keepdims=keepdims)

    def add(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY and xp is np:
            if x.dtype == dtype:
                short = are_short_rows(x.shape, axes)
                return add_columns(x, keep) if short else reduced(np.add, x, axes, keep)
            if x.size >= LARGE:
                return reduce_in_parts(part, part, x, axes, keep)
        return add_up(x, axes, dtype, None, keep)

    # The method calls a function in Python that calls this.
    add_up: Any = np.add.reduce if xp is np else xp.sum
    dtype = np.dtype(dtype)
    return add


@kernel("Sum", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def sum_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])
    reduce = _narrowed(node, _sum(dtype, xp))
    return _Reduction(node, reduce, _cut_for(np.add, dtype) if xp is np else None)


@kernel("Prod", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def prod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY and xp is np and x.dtype == dtype:
            return reduced(np.multiply, x, axes, keep)
        return x.prod(axis=axes, dtype=dtype, keepdims=keep)

    return _Reduction(node, _narrowed(node, reduce))


@kernel("Mean", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def mean(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0]
    dtype = accumulator(result)
    add = _sum(dtype, xp)
    seen: tuple[Any, Axes, Any] = ((), (), dtype(0))

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        nonlocal seen
        total = add(x, axes, keep)
        shape, along, count = seen
        if x.shape != shape or axes is not along:
            count = dtype(math.prod(x.shape[axis] for axis in axes))
            seen = (x.shape, axes, count)
        # The mean of nothing is NaN, but of no complex numbers 0, which has no NaN to give.
        return total / count if count or not result.is_complex else total

    wide = np.uint64 if result.is_unsigned else np.int64

    def reduce_integers(x: Any, axes: Axes, keep: bool) -> Any:
        total = x.sum(axis=axes, dtype=wide, keepdims=keep)
        count = wide(math.prod(x.shape[axis] for axis in axes))
        if count:
            # Without its remainder, the total divides evenly: the quotient is cut towards zero.
            total = (total - xp.fmod(total, count)) // count
        return total.astype(dtype)

    if result.is_integer:
        return _Reduction(node, reduce_integers)
    cut_sum = _cut_for(np.add, dtype)

    def cut(shape: tuple[int, ...], given: Any, axes: Axes) -> Parts | None:
        parts = cut_sum(shape, given, axes)
        count = dtype(math.prod(shape[axis] for axis in axes))
        return parts and replace(parts, finish=lambda total: total / count)

    return _Reduction(node, _narrowed(node, reduce), cut if xp is np else None)


@kernel("Max", "Min", dtypes={"T": REAL}, host_inputs=("reduction_indices",))
def extreme_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The extreme; of nothing, the value that every other one beats."""
    dtype = node.output_dtypes[0]
    greatest = node.op == "Max"
    if dtype.is_floating:
        neutral = dtype.as_numpy_dtype("-inf" if greatest else "inf")
    else:
        neutral = dtype.as_numpy_dtype(dtype.min if greatest else dtype.max)
    wide = accumulator(dtype)
    ufunc: Any
    if xp is np:
        extreme = np.maximum if greatest else np.minimum
        ufunc = extreme.reduce
    else:
        ufunc = xp.amax if greatest else xp.amin

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size >= MANY and xp is np:
            # numpy compares 16-bit floats one by one; float32 holds each of them.
            return reduced(extreme, x.astype(wide, copy=False), axes, keep)
        if x.size:
            return ufunc(x, axis=axes, keepdims=keep)
        return xp.full(reduced_shape(x.shape, axes, keep), neutral)[()]

    cut = _cut_for(extreme, wide) if xp is np else None
    return _Reduction(node, _narrowed(node, reduce), cut)


@kernel("All", "Any", host_inputs=("reduction_indices",))
def logical(node: KernelNode, xp: Any) -> Callable[..., Any]:
    name = node.op.lower()

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        return getattr(x, name)(axis=axes, keepdims=keep)

    return _Reduction(node, reduce)


@kernel("EuclideanNorm", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0].as_numpy_dtype
    dtype = accumulator(node.output_dtypes[0])
    is_complex = node.output_dtypes[0].is_complex

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        x = x.astype(dtype)
        squares = x * xp.conj(x) if is_complex else x * x
        return xp.sqrt(squares.sum(axis=axes, dtype=dtype, keepdims=keep)).astype(result)

    return _Reduction(node, reduce)
