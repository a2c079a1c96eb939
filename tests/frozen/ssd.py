"""A detector in full: two maps of anchors, boxes decoded from them, and the best of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

CLASSES, SIZE = 3, 32


def _anchors(cells: int, scale: float) -> np.ndarray:
    """Centers and sizes of two boxes for each cell."""
    centers = (np.arange(cells) + 0.5) / cells
    y, x = np.meshgrid(centers, centers, indexing="ij")
    boxes = [
        np.stack([y, x, np.full_like(y, scale * ratio), np.full_like(y, scale / ratio)], -1)
        for ratio in (1.0, 1.4)
    ]
    return np.stack(boxes, 2).reshape(-1, 4).astype(np.float32)


def function(random: np.random.Generator) -> Any:
    """The net, as a function of images of 32 x 32 x 3."""

    def weights(*shape: int) -> Any:
        scale = 1.5 / np.sqrt(np.prod(shape[:-1]))
        return tf.constant(random.normal(0, scale, shape), tf.float32)

    trunk = [weights(3, 3, a, b) for a, b in ((3, 16), (16, 24), (24, 32), (32, 48))]
    narrow = [weights(3, 3, 24, 1), weights(1, 1, 24, 24)]
    heads = [weights(3, 3, depth, 2 * (4 + CLASSES)) for depth in (32, 48)]
    anchors = np.concatenate([_anchors(4, 0.25), _anchors(2, 0.5)])

    def call(images: Any) -> Any:
        x = images
        maps = []
        for index, weight in enumerate(trunk):
            x = tf.nn.relu6(tf.nn.conv2d(x, weight, 2, "SAME"))
            if index == 1:
                x = tf.nn.depthwise_conv2d(x, narrow[0], [1, 1, 1, 1], "SAME")
                x = tf.nn.relu6(tf.nn.conv2d(x, narrow[1], 1, "SAME"))
            if index > 1:
                maps.append(tf.nn.conv2d(x, heads[index - 2], 1, "SAME"))
        batch = tf.shape(images)[0]
        found = tf.concat([tf.reshape(m, [batch, -1, 4 + CLASSES]) for m in maps], 1)
        offsets, scores = found[..., :4], tf.sigmoid(found[..., 4:])
        centers = anchors[:, :2] + 0.1 * offsets[..., :2] * anchors[:, 2:]
        sizes = anchors[:, 2:] * tf.exp(0.2 * offsets[..., 2:])
        boxes = tf.concat([centers - sizes / 2, centers + sizes / 2], -1)
        kept = tf.image.combined_non_max_suppression(
            boxes[:, :, None], scores, 5, 8, iou_threshold=0.5, score_threshold=0.3
        )
        return [kept.nmsed_boxes, kept.nmsed_scores, kept.nmsed_classes + 1]

    return call
