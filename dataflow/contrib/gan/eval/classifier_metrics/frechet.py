"""Frechet distances between normal distributions that are fitted to activations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.gan.eval.classifier_metrics.activations import outputs_in_parts
from dataflow.contrib.gan.eval.classifier_metrics.inception import (
    INCEPTION_FINAL_POOL,
    run_inception,
)
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.svd import svd
from dataflow.ops.linalg.tensordot import trace
from dataflow.ops.math.binary import squared_difference
from dataflow.ops.math.compare import less
from dataflow.ops.nn.moments import moments
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes


def frechet_classifier_distance(
    real_images: Any,
    generated_images: Any,
    classifier_fn: Callable[[Any], Any],
    num_batches: int = 1,
) -> Any:
    """The distance of generated images from real ones (Heusel et al., 2017).

    Args:
      real_images: Their number is a multiple of `num_batches`.
      generated_images: So is theirs.
      classifier_fn: Makes activations of images.
      num_batches: How many parts the images are classified in.

    Returns:
      |m - m_w|^2 + Tr(C + C_w - 2 (C C_w)^(1/2)) of the means and covariances of activations: a
      scalar of their type.

    Raises:
      ValueError: The activations are no matrices.
    """
    return frechet_classifier_distance_from_activations(
        outputs_in_parts(real_images, classifier_fn, num_batches),
        outputs_in_parts(generated_images, classifier_fn, num_batches),
    )


def frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """See `frechet_classifier_distance`.

    Args:
      real_activations: `[images, activations]`.
      generated_activations: The same of generated images, whose number may be another.

    Raises:
      ValueError: They are no matrices.
    """
    real, generated, dtype = _in_float64(real_activations, generated_activations)
    means = [reduce_mean(each, 0) for each in (real, generated)]
    covariances = []
    for each, mean in zip((real, generated), means, strict=True):
        sizes: Any = array_shape.shape(each)
        centered = each - mean
        products = matmul(centered, centered, transpose_a=True)
        covariances.append(products / (cast(sizes[0], dtypes.float64) - 1.0))
    of_both = trace_sqrt_product(*covariances)
    spread: Any = trace(covariances[0] + covariances[1])
    return cast(spread - 2.0 * of_both + reduce_sum(squared_difference(means[0], means[1])), dtype)


def mean_only_frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """The squared distance between the means of activations.

    Args:
      real_activations: `[images, activations]`.
      generated_activations: The same of generated images.

    Returns:
      A scalar of the type of the activations.

    Raises:
      ValueError: They are no matrices.
    """
    real, generated, dtype = _in_float64(real_activations, generated_activations)
    apart = squared_difference(reduce_mean(real, 0), reduce_mean(generated, 0))
    return cast(reduce_sum(apart), dtype)


def diagonal_only_frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """The Frechet distance where activations are taken as independent of each other.

    Args:
      real_activations: `[images, activations]`.
      generated_activations: The same of generated images.

    Returns:
      A scalar of the type of the activations.

    Raises:
      ValueError: They are no matrices.
    """
    real, generated, dtype = _in_float64(real_activations, generated_activations)
    mean, variance = moments(real, axes=[0])
    other_mean, other_variance = moments(generated, axes=[0])
    root: Any = math_unary.sqrt(variance * other_variance)
    spread: Any = reduce_sum(variance + other_variance - 2.0 * root)
    return cast(spread + reduce_sum(squared_difference(mean, other_mean)), dtype)


def trace_sqrt_product(sigma: Any, sigma_v: Any) -> Any:
    """The trace of the square root of the product of two covariance matrices.

    The product need not be symmetric: it has the eigenvalues of `A sigma_v A`, which is, where `A`
    is the square root of `sigma`.
    """
    root = _symmetric_root(sigma)
    return trace(_symmetric_root(matmul(root, matmul(sigma_v, root))))


def _symmetric_root(matrix: Any, smallest: float = 1e-10) -> Any:
    values, left, right = svd(matrix)
    # The root of what is nearly 0 would make much of what was rounded.
    roots = where(less(values, smallest), values, math_unary.sqrt(values))
    return matmul(matmul(left, diag(roots)), right, transpose_b=True)


def _in_float64(real: Any, generated: Any) -> tuple[Any, Any, Any]:
    """Both in float64, and the type that they had."""
    real.shape.assert_has_rank(2)
    generated.shape.assert_has_rank(2)
    return cast(real, dtypes.float64), cast(generated, dtypes.float64), real.dtype


frechet_inception_distance = functools.partial(
    frechet_classifier_distance,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL),
)
