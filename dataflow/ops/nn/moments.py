"""Means and variances, and normalization by them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import stop_gradient
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance along some axes; float16 is computed in float32.

    Args:
      x: Tensor.
      axes: Axes to reduce.
      shift: Not used; kept for old callers.
      name: Name of the scope.
      keep_dims: Former name of `keepdims`.
      keepdims: Keeps the reduced axes, of size 1.
    """
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "moments", [x, axes]):
        is_half = x.dtype == dtypes.half
        y = cast(x, dtypes.float32) if is_half else x
        mean = reductions.reduce_mean(y, axes, keepdims=True, name="mean")
        distance = math_binary.squared_difference(y, stop_gradient(mean))
        variance = reductions.reduce_mean(distance, axes, keepdims=True, name="variance")
        if not keep:
            mean = array_shape.squeeze(mean, axes)
            variance = array_shape.squeeze(variance, axes)
        if is_half:
            return cast(mean, dtypes.half), cast(variance, dtypes.half)
        return mean, variance


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance along some axes of elements that count with weights.

    Args:
      x: Tensor.
      axes: Axes to reduce.
      frequency_weights: Weights that broadcast against `x`.
      name: Name of the scope.
      keep_dims: Former name of `keepdims`.
      keepdims: Keeps the reduced axes, of size 1.
    """
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        values: Any = convert_to_tensor(x, name="x")
        weights: Any = convert_to_tensor(frequency_weights, name="frequency_weights")
        is_half = values.dtype == dtypes.half
        if is_half:
            values = cast(values, dtypes.float32)
        if weights.dtype != values.dtype:
            weights = cast(weights, values.dtype)
        weighted_sum = reductions.reduce_sum(
            weights * values, axes, name="weighted_input_sum", keepdims=True
        )
        broadcast = weights + array_fill.zeros_like(values)
        total = reductions.reduce_sum(broadcast, axes, name="sum_of_weights", keepdims=True)
        mean = math_division.div_no_nan(weighted_sum, total)
        distance: Any = math_binary.squared_difference(values, mean)
        distance_sum = reductions.reduce_sum(
            weights * distance, axes, name="weighted_distsq", keepdims=True
        )
        variance = math_division.div_no_nan(distance_sum, total)
        if not keep:
            mean = array_shape.squeeze(mean, axis=axes)
            variance = array_shape.squeeze(variance, axis=axes)
        if is_half:
            return cast(mean, dtypes.half), cast(variance, dtypes.half)
        return mean, variance


def sufficient_statistics(
    x: Any,
    axes: Iterable[int],
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What `normalize_moments` makes mean and variance of.

    Args:
      x: Tensor.
      axes: Axes to reduce.
      shift: Value near the mean, subtracted so that digits are not lost.
      keep_dims: Former name of `keepdims`.
      name: Name of the scope.
      keepdims: Keeps the reduced axes, of size 1.

    Returns:
      The number of elements, their sum, the sum of their squares (both shifted), and the shift.
    """
    reduced = list(set(axes))
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        values = convert_to_tensor(x, name="x")
        counts = _count(values, reduced)
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            summands = math_binary.subtract(values, shift)
            squares = math_binary.squared_difference(values, shift)
        else:
            summands, squares = values, math_unary.square(values)
        total = reductions.reduce_sum(summands, reduced, keepdims=keep, name="mean_ss")
        total_squares = reductions.reduce_sum(squares, reduced, keepdims=keep, name="var_ss")
    return counts, total, total_squares, shift


def _count(values: Tensor, axes: list[int]) -> Tensor:
    """The number of elements along the axes, in the type of the values."""
    dims = values.shape.dims_tuple
    if dims is not None and all(dims[axis] is not None for axis in axes):
        count = 1
        for axis in axes:
            count *= dims[axis] or 0
        return constant(count, dtype=values.dtype)
    rank: Any = array_shape.rank(values)
    positive = [axis + rank if axis < 0 else axis for axis in axes]
    sizes = cast(array_shape.shape(values), values.dtype)
    return reductions.reduce_prod(array_gather.gather(sizes, positive), name="count")


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance from what `sufficient_statistics` gives.

    Args:
      counts: Number of elements.
      mean_ss: Sum of the (shifted) elements.
      variance_ss: Sum of their squares.
      shift: What was subtracted, or None.
      name: Name of the scope.
    """
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = math_unary.reciprocal(counts, name="divisor")
        if shift is not None:
            shifted_mean = math_binary.multiply(mean_ss, divisor, name="shifted_mean")
            mean = math_binary.add(shifted_mean, shift, name="mean")
        else:
            shifted_mean = math_binary.multiply(mean_ss, divisor, name="mean")
            mean = shifted_mean
        variance = math_binary.subtract(
            math_binary.multiply(variance_ss, divisor),
            math_unary.square(shifted_mean),
            name="variance",
        )
    return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset (Ioffe and Szegedy, 2015).

    Args:
      x: Tensor.
      mean: Mean, that broadcasts against `x`; so do the others.
      variance: Variance.
      offset: Summand, or None.
      scale: Factor, or None.
      variance_epsilon: Added to the variance.
      name: Name of the scope.
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        factor: Any = math_unary.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor *= scale
        scaled = x * cast(factor, x.dtype)
        if offset is not None:
            summand = offset - mean * factor
        else:
            summand = -mean * factor
        result: Tensor = scaled + cast(summand, x.dtype)
        return result


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """`batch_normalization` under its former name.

    Args:
      t: Tensor.
      m: Mean.
      v: Variance.
      beta: Summand.
      gamma: Factor.
      variance_epsilon: Added to the variance.
      scale_after_normalization: Whether `gamma` is used.
      name: Name of the scope.
      input: Other name of `t`.
      mean: Other name of `m`.
      variance: Other name of `v`.
    """
    t = renamed("input", input, "t", t)
    m = renamed("mean", mean, "m", m)
    v = renamed("variance", variance, "v", v)
    scale = gamma if scale_after_normalization else None
    return batch_normalization(t, m, v, beta, scale, variance_epsilon, name)


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """x over its Euclidean norm along some axes.

    Args:
      x: Tensor, complex too.
      axis: Axes to sum squares over; all by default.
      epsilon: Least sum of squares to divide by.
      name: Name of the operation.
      dim: Former name of `axis`.
    """
    axis = renamed("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        values = convert_to_tensor(x, name="x")
        if values.dtype.is_complex:
            real: Any = math_unary.square(math_complex.real(values))
            imaginary = math_unary.square(math_complex.imag(values))
            total = math_complex.real(reductions.reduce_sum(real + imaginary, axis, keepdims=True))
            inverse = math_unary.rsqrt(math_binary.maximum(total, epsilon))
            return math_complex.complex(
                math_binary.multiply(math_complex.real(values), inverse),
                math_binary.multiply(math_complex.imag(values), inverse),
                name=scope,
            )
        total = reductions.reduce_sum(math_unary.square(values), axis, keepdims=True)
        inverse = math_unary.rsqrt(math_binary.maximum(total, epsilon))
        return math_binary.multiply(values, inverse, name=scope)
