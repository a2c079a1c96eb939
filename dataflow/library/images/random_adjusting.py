"""Images whose brightness, contrast, hue, saturation or quality is changed at random."""

from __future__ import annotations

from typing import Any

from dataflow.graph.dispatch import unary
from dataflow.graph.tensor import Tensor
from dataflow.library.images.adjusting import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_jpeg_quality,
    adjust_saturation,
)
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes


@unary
def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by a number in [-max_delta, max_delta).

    Args:
      image: An image of any shape.
      max_delta: Not negative.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: `max_delta` is negative.
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor in [lower, upper).

    Args:
      image: `[..., height, width, channels]`.
      lower: Least factor, not negative.
      upper: Bound above.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: There is no such factor, or `lower` is negative.
    """
    _check_factors(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a number in [-max_delta, max_delta).

    Args:
      image: An RGB image, channels last.
      max_delta: From 0 to 0.5.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: `max_delta` is another number.
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor in [lower, upper).

    Args:
      image: An RGB image, channels last.
      lower: Least factor, not negative.
      upper: Bound above.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: There is no such factor, or `lower` is negative.
    """
    _check_factors(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """`adjust_jpeg_quality` with a quality in [min_jpeg_quality, max_jpeg_quality).

    Args:
      image: `[height, width, channels]` with 1 or 3 channels.
      min_jpeg_quality: Least quality, at least 0.
      max_jpeg_quality: Bound above, at most 100.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: These are no such numbers.
    """
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)


def _check_factors(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
