"""Nets from pictures to pictures: a segmenter, one that paints in a style, one that enlarges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf


def _weights(random: np.random.Generator) -> Callable[..., Any]:
    def make(*shape: int) -> Any:
        return tf.constant(random.normal(0, 1.2 / np.sqrt(np.prod(shape[:-1])), shape), tf.float32)

    return make


def deeplab(random: np.random.Generator) -> Any:
    """Dilated convolutions of several rates side by side, and a decoder; Chen's v3+."""
    weights = _weights(random)
    first, narrow = weights(3, 3, 3, 12), weights(1, 1, 12, 6)
    depthwise, pointwise = weights(3, 3, 12, 1), weights(1, 1, 12, 16)
    rates = {rate: weights(3, 3, 16, 8) for rate in (1, 2, 4)}
    pooled, merged, last = weights(1, 1, 16, 8), weights(1, 1, 32, 12), weights(3, 3, 18, 4)

    def call(images: Any) -> Any:
        size = tf.shape(images)[1:3]
        low = tf.nn.relu(tf.nn.conv2d(images, first, 2, "SAME"))
        x = tf.nn.depthwise_conv2d(low, depthwise, [1, 2, 2, 1], "SAME")
        x = tf.nn.relu6(tf.nn.conv2d(x, pointwise, 1, "SAME"))
        parts = [
            tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME", dilations=rate))
            for rate, filters in rates.items()
        ]
        mean = tf.nn.conv2d(tf.reduce_mean(x, [1, 2], keepdims=True), pooled, 1, "SAME")
        resize = tf.compat.v1.image.resize_bilinear
        parts.append(resize(tf.nn.relu(mean), tf.shape(x)[1:3], align_corners=True))
        x = tf.nn.relu(tf.nn.conv2d(tf.concat(parts, -1), merged, 1, "SAME"))
        x = resize(x, tf.shape(low)[1:3], align_corners=True)
        x = tf.concat([x, tf.nn.relu(tf.nn.conv2d(low, narrow, 1, "SAME"))], -1)
        logits = resize(tf.nn.conv2d(x, last, 1, "SAME"), size, align_corners=True)
        return [tf.nn.softmax(logits), tf.argmax(logits, -1)]

    return call


def style_transfer(random: np.random.Generator) -> Any:
    """Reflected borders, residual blocks, and norms of each picture whose scale is a style's."""
    weights = _weights(random)
    down = [weights(9, 9, 3, 8), weights(3, 3, 8, 12), weights(3, 3, 12, 16)]
    blocks = [(weights(3, 3, 16, 16), weights(3, 3, 16, 16)) for _ in range(2)]
    up = [weights(3, 3, 16, 12), weights(3, 3, 12, 8)]
    last, styles = weights(9, 9, 8, 3), weights(5, 2 * 16)

    def convolved(x: Any, filters: Any, stride: int = 1) -> Any:
        edge = filters.shape[0] // 2
        padded = tf.pad(x, [[0, 0], [edge, edge], [edge, edge], [0, 0]], "REFLECT")
        return tf.nn.conv2d(padded, filters, stride, "VALID")

    def normed(x: Any, style: Any) -> Any:
        mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
        depth = x.shape[-1]
        scale, offset = style[:, None, None, :depth], style[:, None, None, 16 : 16 + depth]
        return tf.nn.batch_normalization(x, mean, variance, offset, 1.0 + scale, 1e-5)

    def call(images: Any, mixture: Any) -> Any:
        style, x = mixture @ styles, images
        for number, filters in enumerate(down):
            x = tf.nn.relu(normed(convolved(x, filters, 1 if number == 0 else 2), style))
        for one, other in blocks:
            h = tf.nn.relu(normed(convolved(x, one), style))
            x = x + normed(convolved(h, other), style)
        for filters in up:
            x = tf.image.resize(x, 2 * tf.shape(x)[1:3], "nearest")
            x = tf.nn.relu(normed(convolved(x, filters), style))
        return tf.sigmoid(normed(convolved(x, last), style))

    return call


def super_resolution(random: np.random.Generator) -> Any:
    """Residual blocks, then depth as pixels, on top of the enlarged picture; Lim's EDSR."""
    weights = _weights(random)
    head, tail = weights(3, 3, 3, 12), weights(3, 3, 12, 3 * 9)
    blocks = [(weights(3, 3, 12, 12), weights(3, 3, 12, 12)) for _ in range(3)]

    def call(images: Any) -> Any:
        x = first = tf.nn.conv2d(images, head, 1, "SAME")
        for one, other in blocks:
            h = tf.nn.relu(tf.nn.conv2d(x, one, 1, "SAME"))
            x = x + 0.1 * tf.nn.conv2d(h, other, 1, "SAME")
        fine = tf.nn.depth_to_space(tf.nn.conv2d(x + first, tail, 1, "SAME"), 3)
        coarse = tf.image.resize(images, 3 * tf.shape(images)[1:3], "bicubic")
        return tf.clip_by_value(fine + coarse, 0.0, 1.0)

    return call
