"""How alike images are: PSNR, SSIM, SSIM at several scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.identity as basic_identity
import dataflow.ops.basic.range as basic_range
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.power as math_power
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.activation as nn_activation
import dataflow.ops.nn.pooling as nn_pooling
import dataflow.ops.nn.separable as nn_separable
import dataflow.ops.nn.softmax as nn_softmax
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.conversion import convert_image_dtype
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes

_SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Of the five scales, as Wang, Simoncelli and Bovik (2003) found them."""


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The ratio of signal to noise, in decibels, of images that should be the same.

    Args:
      a: Images `[..., height, width, channels]`.
      b: Images of the same size.
      max_val: How far the values of pixels reach.
      name: Name scope of the operations.

    Returns:
      A number for each image.
    """
    with name_scope(name, "PSNR", [a, b]):
        most: Any = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
        a = convert_image_dtype(a, dtypes.float32)
        b = convert_image_dtype(b, dtypes.float32)
        error = reductions.reduce_mean(math_binary.squared_difference(a, b), [-3, -2, -1])
        signal: Any = 20 * math_unary.log(most) / math_unary.log(10.0)
        noise: Any = np.float32(10 / np.log(10)) * math_unary.log(error)
        ratio = math_binary.subtract(signal, noise, name="psnr")
        _, _, checks = verify_compatible_image_shapes(a, b)
        with control_dependencies(checks):
            result: Tensor = basic_identity.identity(ratio)
        return result


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images (Wang, Bovik, Sheikh and Simoncelli, 2004).

    Args:
      img1: Images `[..., height, width, channels]`.
      img2: Images of the same size.
      max_val: How far the values of pixels reach.
      filter_size: Size of the Gaussian window.
      filter_sigma: Its width.
      k1: Keeps the luminance's ratio stable.
      k2: Keeps the contrast's ratio stable.
      return_index_map: The similarity of each window, not their mean.

    Returns:
      A number up to 1 for each image.
    """
    with name_scope(None, "SSIM", [img1, img2]):
        img1, img2, most, _, _ = _prepared(img1, img2, max_val)
        window = _Window(most, filter_size, filter_sigma, k1, k2)
        by_channel, _ = window.compare(img1, img2, return_index_map)
        return reductions.reduce_mean(by_channel, [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _SCALE_WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images at several scales, each half of the one before.

    Args:
      img1: Images `[..., height, width, channels]`.
      img2: Images of the same size.
      max_val: How far the values of pixels reach.
      power_factors: The exponent of each scale.
      filter_size: Size of the Gaussian window.
      filter_sigma: Its width.
      k1: Keeps the luminance's ratio stable.
      k2: Keeps the contrast's ratio stable.

    Returns:
      A number from 0 to 1 for each image.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2, most, shape1, shape2 = _prepared(img1, img2, max_val)
        images: list[Any] = [img1, img2]
        window = _Window(most, filter_size, filter_sigma, k1, k2)
        heads = [shape[:-3] for shape in (shape1, shape2)]
        tails = [shape[-3:] for shape in (shape1, shape2)]
        step = [1, 2, 2, 1]
        step_tensor = constant(step[1:], dtype=dtypes.int32)
        contrasts: list[Any] = []
        by_channel: Any = None
        for scale in range(len(power_factors)):
            with name_scope(None, f"Scale{scale}", images):
                if scale:
                    smaller = _halved(images, tails, step, step_tensor)
                    tails = [shape[1:] for shape in array_shape.shape_n(smaller)]
                    images = [
                        array_shape.reshape(x, array_concat.concat([head, tail], 0))
                        for x, head, tail in zip(smaller, heads, tails, strict=True)
                    ]
                by_channel, contrast = window.compare(*images)
                contrasts.append(nn_activation.relu(contrast))
        contrasts[-1] = nn_activation.relu(by_channel)
        together = array_concat.stack(contrasts, axis=-1)
        product = reductions.reduce_prod(math_power.pow(together, power_factors), [-1])
        return reductions.reduce_mean(product, [-1])


def _halved(images: Sequence[Any], tails: Sequence[Any], step: list[int], by: Any) -> list[Any]:
    """The images as one batch, in half their size; an odd row or column is there twice."""
    flat = [
        array_shape.reshape(x, array_concat.concat([[-1], tail], 0))
        for x, tail in zip(images, tails, strict=True)
    ]
    rest = tails[0] % by
    is_odd = reductions.reduce_any(math_compare.not_equal(rest, 0))

    def padded() -> list[Any]:
        borders = array_pad.pad(array_shape.expand_dims(rest, -1), [[1, 0], [1, 0]])
        return [array_pad.pad(x, borders, mode="SYMMETRIC") for x in flat]

    even: Any = cond(is_odd, padded, lambda: flat)
    return [nn_pooling.avg_pool(x, ksize=step, strides=step, padding="VALID") for x in even]


def verify_compatible_image_shapes(img1: Any, img2: Any) -> tuple[Any, Any, list[Any]]:
    """The shapes of images, and operations that fail unless they have one size.

    Raises:
      ValueError: They are known not to.
    """
    shape1 = img1.shape.with_rank_at_least(3)
    shape2 = img2.shape.with_rank_at_least(3)
    shape1[-3:].assert_is_compatible_with(shape2[-3:])
    if shape1.ndims is not None and shape2.ndims is not None:
        outer = zip(reversed(shape1.dims[:-3]), reversed(shape2.dims[:-3]), strict=False)
        for one, other in outer:
            if not (one == 1 or other == 1 or one.is_compatible_with(other)):
                raise ValueError(f"Two images are not compatible: {shape1} and {shape2}")
    sizes1, sizes2 = array_shape.shape_n([img1, img2])
    is_image: Any = math_compare.greater_equal(array_shape.size(sizes1), 3)
    first = Assert(is_image, [sizes1, sizes2], summarize=10)
    are_same = reductions.reduce_all(math_compare.equal(sizes1[-3:], sizes2[-3:]))
    return sizes1, sizes2, [first, Assert(are_same, [sizes1, sizes2], summarize=10)]


def _prepared(img1: Any, img2: Any, max_val: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Images and the reach of their pixels as floats, and the images' shapes."""
    img1 = convert_to_tensor(img1, name="img1")
    img2 = convert_to_tensor(img2, name="img2")
    shape1, shape2, checks = verify_compatible_image_shapes(img1, img2)
    with control_dependencies(checks):
        img1 = basic_identity.identity(img1)
    most = convert_image_dtype(cast(max_val, img1.dtype), dtypes.float32)
    img1 = convert_image_dtype(img1, dtypes.float32)
    return img1, convert_image_dtype(img2, dtypes.float32), most, shape1, shape2


class _Window:
    """The Gaussian window over which images are compared."""

    def __init__(self, most: Any, size: int, sigma: float, k1: float, k2: float) -> None:
        self._most, self._size, self._sigma = most, size, sigma
        self._k1, self._k2 = k1, k2

    def compare(self, img1: Any, img2: Any, each_place: bool = False) -> tuple[Any, Any]:
        """The similarity of each channel, and that of contrast and structure alone."""
        size = constant(self._size, dtype=dtypes.int32)
        sigma = constant(self._sigma, dtype=img1.dtype)
        shapes = array_shape.shape_n([img1, img2])
        checks = [
            Assert(
                reductions.reduce_all(math_compare.greater_equal(shape[-3:-1], size)),
                [shape, size],
                summarize=8,
            )
            for shape in shapes
        ]
        with control_dependencies(checks):
            img1 = basic_identity.identity(img1)
        kernel = array_broadcast.tile(_gaussian(size, sigma), multiples=[1, 1, shapes[0][-1], 1])

        def mean(x: Any) -> Any:
            shape: Any = array_shape.shape(x)
            flat = array_shape.reshape(x, array_concat.concat([[-1], shape[-3:]], 0))
            y = nn_separable.depthwise_conv2d(flat, kernel, strides=[1, 1, 1, 1], padding="VALID")
            sizes = [shape[:-3], _sizes(y)[1:]]
            return array_shape.reshape(y, array_concat.concat(sizes, 0))

        luminance, contrast = self._parts(img1, img2, mean)
        if each_place:
            return luminance * contrast, contrast
        axes = constant([-3, -2], dtype=dtypes.int32)
        similarity = reductions.reduce_mean(luminance * contrast, axes)
        return similarity, reductions.reduce_mean(contrast, axes)

    def _parts(self, x: Any, y: Any, mean: Callable[[Any], Any]) -> tuple[Any, Any]:
        """Luminance, and contrast with structure, of each place."""
        c1 = (self._k1 * self._most) ** 2
        c2 = (self._k2 * self._most) ** 2
        mean_x, mean_y = mean(x), mean(y)
        product = mean_x * mean_y * 2.0
        squares = math_unary.square(mean_x) + math_unary.square(mean_y)
        luminance = (product + c1) / (squares + c1)
        both = mean(x * y) * 2.0
        each = mean(math_unary.square(x) + math_unary.square(y))
        c2 *= 1.0
        return luminance, (both - product + c2) / (each - squares + c2)


def _sizes(x: Any) -> Any:
    return array_shape.shape(x)


def _gaussian(size: Any, sigma: Any) -> Any:
    size = convert_to_tensor(size, dtypes.int32)
    sigma = convert_to_tensor(sigma)
    places: Any = cast(basic_range.range(size), sigma.dtype)
    middle: Any = cast(size - 1, sigma.dtype)
    places -= middle / 2.0
    weights: Any = math_unary.square(places)
    weights *= -0.5 / math_unary.square(sigma)
    row: Any = array_shape.reshape(weights, shape=[1, -1])
    column: Any = array_shape.reshape(weights, shape=[-1, 1])
    flat = array_shape.reshape(row + column, shape=[1, -1])
    return array_shape.reshape(nn_softmax.softmax(flat), shape=[size, size, 1, 1])
