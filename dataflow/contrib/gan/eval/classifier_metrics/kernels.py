"""Distances of activations by a polynomial kernel, with their standard errors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.gan.eval.classifier_metrics.activations import outputs_in_parts
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_FINAL_POOL,
    run_inception,
)
from dataflow.control_flow.cond import cond
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.fill import fill, zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.tensordot import trace
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import less_equal
from dataflow.ops.math.rounding import ceil
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes


def kernel_classifier_distance(
    real_images: Any,
    generated_images: Any,
    classifier_fn: Callable[[Any], Any],
    num_classifier_batches: int = 1,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> Any:
    """The distance of `kernel_classifier_distance_and_std` alone."""
    return kernel_classifier_distance_and_std(
        real_images,
        generated_images,
        classifier_fn,
        num_classifier_batches,
        max_block_size,
        dtype,
    )[0]


def kernel_classifier_distance_and_std(
    real_images: Any,
    generated_images: Any,
    classifier_fn: Callable[[Any], Any],
    num_classifier_batches: int = 1,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> tuple[Any, Any]:
    """The distance of generated images from real ones (Binkowski et al., 2018).

    Args:
      real_images: In random order; their number is a multiple of `num_classifier_batches`.
      generated_images: So are these.
      classifier_fn: Makes activations of images.
      num_classifier_batches: How many parts the images are classified in.
      max_block_size: See `kernel_classifier_distance_and_std_from_activations`.
      dtype: The type that activations are cast to, if it is not None.

    Returns:
      The distance and its standard error: scalars of the type of the activations.

    Raises:
      ValueError: The activations are no matrices of the same width, or of unequal types.
    """
    return kernel_classifier_distance_and_std_from_activations(
        outputs_in_parts(real_images, classifier_fn, num_classifier_batches),
        outputs_in_parts(generated_images, classifier_fn, num_classifier_batches),
        max_block_size,
        dtype,
    )


def kernel_classifier_distance_from_activations(
    real_activations: Any,
    generated_activations: Any,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> Any:
    """The distance of `kernel_classifier_distance_and_std_from_activations` alone."""
    return kernel_classifier_distance_and_std_from_activations(
        real_activations, generated_activations, max_block_size, dtype
    )[0]


def kernel_classifier_distance_and_std_from_activations(
    real_activations: Any,
    generated_activations: Any,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> tuple[Any, Any]:
    """The mean discrepancy by the kernel (x^T y / dimension + 1)^3, unbiased, over blocks.

    Args:
      real_activations: `[images, activations]`, in random order.
      generated_activations: The same of generated images, whose number may be another.
      max_block_size: How many rows are compared with each other at most; the more, the better the
        distance, the fewer blocks there are to tell its error, and the longer it takes.
      dtype: The type that activations are cast to, if it is not None.

    Returns:
      The distance and its standard error, which is NaN of one block: scalars of the type of the
      activations.

    Raises:
      ValueError: They are no matrices of the same width, or of unequal types.
    """
    real_activations.shape.assert_has_rank(2)
    generated_activations.shape.assert_has_rank(2)
    real_activations.shape[1].assert_is_compatible_with(generated_activations.shape[1])
    if dtype is None:
        dtype = real_activations.dtype
        if generated_activations.dtype != dtype:
            raise ValueError(
                f"Activations are of unequal types: {dtype.name} and "
                f"{generated_activations.dtype.name}"
            )
    real, generated = cast(real_activations, dtype), cast(generated_activations, dtype)
    sizes: Any = array_shape.shape(real)
    counts: list[Any] = [sizes[0], array_shape.shape(generated)[0]]
    largest = cast(maximum(*counts), dtypes.float64)
    blocks: Any = cast(ceil(largest / max_block_size), dtypes.int32)
    ends = [_ends(count, blocks) for count in counts]
    width: Any = cast(sizes[1], dtype)

    def kernel(x: Any, y: Any) -> Any:
        return (matmul(x, y, transpose_b=True) / width + 1) ** 3

    def without_diagonal(x: Any, count: Any) -> Any:
        each = kernel(x, x)
        return (reduce_sum(each) - trace(each)) / (count * (count - 1))

    def distance(block: Any) -> Any:
        rows, sizes = [], []
        for each, its_ends in zip((real, generated), ends, strict=True):
            begin, end = its_ends[block], its_ends[block + 1]
            rows.append(each[begin:end])
            sizes.append(cast(end - begin, dtype))
        between: Any = -2 * reduce_mean(kernel(*rows))
        return between + sum(map(without_diagonal, rows, sizes))

    distances = map_fn(distance, range_(blocks), dtype=dtype, back_prop=False)
    mean = reduce_mean(distances)
    number: Any = cast(blocks, dtype)
    variance: Any = cond(
        less_equal(blocks, 1),
        lambda: constant(float("nan"), dtype=dtype),
        lambda: reduce_sum(math_unary.square(distances - mean)) / (number - 1),
    )
    return mean, math_unary.sqrt(variance / number)


def _ends(count: Any, blocks: Any) -> Any:
    """Where blocks of nearly equal sizes begin and end; the last ones are the longer ones."""
    size = count // blocks
    longer = count - size * blocks
    lengths = array_concat.concat([fill([blocks - longer], size), fill([longer], size + 1)], 0)
    return array_concat.concat([zeros([1], dtypes.int32), cumsum(lengths)], 0)


kernel_inception_distance = functools.partial(
    kernel_classifier_distance,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL),
)
kernel_inception_distance_and_std = functools.partial(
    kernel_classifier_distance_and_std,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL),
)
