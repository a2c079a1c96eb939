"""Kernels of the reductions over axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS, REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.narrow.conversion import widen
from dataflow.kernels.reductions.reductions import reduced_shape

Axes = tuple[int, ...]
Reduce = Callable[[Any, Axes, bool], Any]
"""`f(x, axes, keep)`, the axes normalised."""


class Reduction:
    """The callable of a reduction."""

    __slots__ = ("_changes", "_reduce", "_seen", "keep")

    def __init__(self, node: KernelNode, reduce: Reduce) -> None:
        """Prepares.

        Args:
          node: The node.
          reduce: Reduces along normalised axes.
        """
        self._reduce = reduce
        self.keep = bool(node.attr("keep_dims"))
        self._changes = node.op == "EuclideanNorm"
        # Axes are nearly always a constant: the same read-only array in every step.
        self._seen: tuple[Any, int, Axes] = (None, 0, ())

    def __call__(self, x: Any, indices: Any) -> Any:
        known, rank, axes = self._seen
        if indices is not known or rank != x.ndim:
            axes = normalised(indices, x.ndim)
            if not indices.flags.writeable:
                self._seen = (indices, x.ndim, axes)
        # Along no axis nothing is added up, not even a -0.0 to a 0.
        return self._reduce(x, axes, self.keep) if axes or self._changes else x


def normalised(indices: Any, rank: int) -> Axes:
    """The axes, counted from the front."""
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


def narrowed(node: KernelNode, reduce: Reduce) -> Reduce:
    """The reduction, of 16-bit floats in float32."""
    dtype = node.output_dtypes[0]
    if dtype not in NARROW:
        return reduce
    narrow = dtype.as_numpy_dtype
    return lambda x, axes, keep: reduce(widen(x), axes, keep).astype(narrow)


def _sum(dtype: Any, xp: Any) -> Reduce:
    """The sum, kept in a type."""
    return lambda x, axes, keep: xp.sum(x, axes, dtype, None, keep)


@kernel("Sum", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def sum_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])
    return Reduction(node, narrowed(node, _sum(dtype, xp)))


@kernel("Prod", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def prod(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        return x.prod(axis=axes, dtype=dtype, keepdims=keep)

    return Reduction(node, narrowed(node, reduce))


@kernel("Mean", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def mean(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.output_dtypes[0].is_integer:
        return Reduction(node, _mean_of_integers(node, xp))
    return Reduction(node, mean_by(node, _sum(accumulator(node.output_dtypes[0]), xp)))


def mean_by(node: KernelNode, add: Reduce) -> Reduce:
    """The mean of other numbers than integers, by their sum."""
    result = node.output_dtypes[0]
    dtype = accumulator(result)
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

    return narrowed(node, reduce)


def _mean_of_integers(node: KernelNode, xp: Any) -> Reduce:
    result = node.output_dtypes[0]
    dtype = accumulator(result)
    wide = np.uint64 if result.is_unsigned else np.int64

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        total = x.sum(axis=axes, dtype=wide, keepdims=keep)
        count = wide(math.prod(x.shape[axis] for axis in axes))
        if count:
            # Without its remainder, the total divides evenly: the quotient is cut towards zero.
            total = (total - xp.fmod(total, count)) // count
        return total.astype(dtype)

    return reduce


@kernel("Max", "Min", dtypes={"T": REAL}, host_inputs=("reduction_indices",))
def extreme_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    extreme = xp.amax if node.op == "Max" else xp.amin
    reduce = extreme_by(node, xp, lambda x, axes, keep: extreme(x, axis=axes, keepdims=keep))
    return Reduction(node, reduce)


def extreme_by(node: KernelNode, xp: Any, reduce_some: Reduce) -> Reduce:
    """The extreme; of nothing, the value that every other one beats."""
    dtype = node.output_dtypes[0]
    greatest = node.op == "Max"
    if dtype.is_floating:
        neutral = dtype.as_numpy_dtype("-inf" if greatest else "inf")
    else:
        neutral = dtype.as_numpy_dtype(dtype.min if greatest else dtype.max)

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        if x.size:
            return reduce_some(x, axes, keep)
        return xp.full(reduced_shape(x.shape, axes, keep), neutral)[()]

    return narrowed(node, reduce)


@kernel("All", "Any", host_inputs=("reduction_indices",))
def logical(node: KernelNode, xp: Any) -> Callable[..., Any]:
    name = node.op.lower()

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        return getattr(x, name)(axis=axes, keepdims=keep)

    return Reduction(node, reduce)


@kernel("EuclideanNorm", dtypes={"T": NUMBERS}, host_inputs=("reduction_indices",))
def norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0].as_numpy_dtype
    dtype = accumulator(node.output_dtypes[0])
    is_complex = node.output_dtypes[0].is_complex

    def reduce(x: Any, axes: Axes, keep: bool) -> Any:
        x = x.astype(dtype)
        squares = x * xp.conj(x) if is_complex else x * x
        return xp.sqrt(squares.sum(axis=axes, dtype=dtype, keepdims=keep)).astype(result)

    return Reduction(node, reduce)
