"""The sliced Wasserstein distance of images at several resolutions (Karras et al., 2017)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.library.py_func import py_func
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.pad import pad
from dataflow.ops.array.space import batch_to_space
from dataflow.ops.array.split import split
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.svd import svd
from dataflow.ops.nn.convolution import conv2d
from dataflow.ops.nn.moments import moments
from dataflow.ops.nn.topk import top_k
from dataflow.ops.random.stateful import random_normal
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.values import dtypes

_ROW: Final = np.array([1, 4, 6, 4, 1], np.float32)
_SMOOTH: Final = (np.outer(_ROW, _ROW) / 256).reshape(5, 5, 1, 1)


def sliced_wasserstein_distance(
    real_images: Any,
    fake_images: Any,
    resolution_min: int = 16,
    patches_per_image: int = 64,
    patch_size: int = 7,
    random_sampling_count: int = 1,
    random_projection_dim: int = 7 * 7 * 3,
    use_svd: bool = False,
) -> list[tuple[Any, Any]]:
    """How far generated images are from real ones, by random patches and random projections.

    Args:
      real_images: `[batch, size, size, 3]`, of known sizes.
      fake_images: Of the same shape.
      resolution_min: The lowest resolution.
      patches_per_image: How many patches of an image are compared at each resolution.
      patch_size: Their height and width, an odd number.
      random_sampling_count: How many sets of projections there are.
      random_projection_dim: How many projections a set has.
      use_svd: Whether projections are on the axes of a singular value decomposition.

    Returns:
      For each resolution, the highest first, the distance between other patches of the real
      images, and that of the generated images from real ones: scalars.

    Raises:
      ValueError: The shapes are others.
    """
    height = real_images.shape[1]
    real_images.shape.assert_is_compatible_with([None, None, height, 3])
    fake_images.shape.assert_is_compatible_with(real_images.shape)
    full = int(height)
    levels = int(np.log2(full)) - int(np.log2(min(resolution_min, full))) + 1
    scores = []
    for real, fake in zip(
        _laplacian_pyramid(real_images, levels),
        _laplacian_pyramid(fake_images, levels),
        strict=True,
    ):
        patches, others, generated = (
            _normalized(_random_patches(each, patches_per_image, patch_size))
            for each in (real, real, fake)
        )
        if use_svd:
            scores.append((_by_svd(patches, others), _by_svd(patches, generated)))
        else:
            sizes = (random_sampling_count, random_projection_dim)
            scores.append(
                (
                    _by_projections(patches, others, *sizes),
                    _by_projections(patches, generated, *sizes),
                )
            )
    return scores


def _laplacian_pyramid(batch: Any, levels: int) -> list[Any]:
    """What each resolution adds to the next lower one, and the lowest one."""
    pyramid = [cast(batch, dtypes.float32)]
    for _ in range(1, levels):
        smaller = _smoothed(pyramid[-1], 1.0)[:, ::2, ::2]
        pyramid[-1] -= _enlarged(smaller)
        pyramid.append(smaller)
    return pyramid


def _smoothed(batch: Any, gain: float) -> Any:
    sizes: Any = array_shape.shape(batch)
    padded = pad(batch, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT")
    planes = array_shape.reshape(
        transpose(padded, [0, 3, 1, 2]), [sizes[0] * sizes[3], sizes[1] + 4, sizes[2] + 4, 1]
    )
    smooth = conv2d(planes, constant(_SMOOTH) * gain, [1, 1, 1, 1], "VALID")
    back = array_shape.reshape(smooth, [sizes[0], sizes[3], sizes[1], sizes[2]])
    return transpose(back, [0, 2, 3, 1])


def _enlarged(batch: Any) -> Any:
    """Twice as high and wide: zeros between the pixels, smoothed."""
    sizes: Any = array_shape.shape(batch)
    between = zeros([3 * sizes[0], sizes[1], sizes[2], sizes[3]])
    spread = batch_to_space(
        array_concat.concat([batch, between], 0), crops=[[0, 0], [0, 0]], block_size=2
    )
    return _smoothed(spread, 4.0)


def _random_patches(batch: Any, patches_per_image: int, patch_size: int) -> Any:
    def choose(images: np.ndarray) -> np.ndarray:
        count, height, width, channels = images.shape
        half = patch_size // 2
        number, y, x, channel = np.ogrid[
            0 : patches_per_image * count, -half : half + 1, -half : half + 1, 0:3
        ]
        of = number // patches_per_image
        rows = y + np.random.randint(half, height - half, size=number.shape)
        columns = x + np.random.randint(half, width - half, size=number.shape)
        places = ((of * height + rows) * width + columns) * channels + channel
        chosen: np.ndarray = np.take(images, places)
        return chosen

    return py_func(choose, [batch], batch.dtype, stateful=False)


def _normalized(patches: Any) -> Any:
    mean, variance = moments(patches, [1, 2, 3], keep_dims=True)
    standard = (patches - mean) / math_unary.sqrt(variance)
    sizes: Any = array_shape.shape(standard)
    return array_shape.reshape(standard, [sizes[0], -1])


def _by_projections(a: Any, b: Any, samples: int, dimensions: int) -> Any:
    """The mean distance of sorted projections on random directions."""
    sizes: Any = array_shape.shape(a)
    means = []
    for _ in range(samples):
        directions = random_normal([sizes[1], dimensions])
        directions *= math_unary.rsqrt(reduce_sum(math_unary.square(directions), 0, keepdims=True))
        means.append(_apart(matmul(a, directions), matmul(b, directions), sizes[0]))
    return reduce_mean(means)


def _by_svd(a: Any, b: Any) -> Any:
    sizes: Any = array_shape.shape(a)
    values, left = svd(array_concat.concat([a, b], 0))[:2]
    of_a, of_b = split(left * values, 2, axis=0)
    return _apart(of_a[:, ::-1], of_b[:, ::-1], sizes[0])


def _apart(a: Any, b: Any, count: Any) -> Any:
    """The mean distance between the sorted columns of two matrices."""
    sorted_a, sorted_b = (top_k(transpose(each, [1, 0]), count)[0] for each in (a, b))
    return reduce_mean(math_unary.abs(sorted_a - sorted_b))
