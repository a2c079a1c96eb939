"""Detectors: one of a single pass over two grids, one of proposals that are looked at again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

CLASSES, SIZE = 3, 32


def _weights(random: np.random.Generator) -> Callable[..., Any]:
    def make(*shape: int) -> Any:
        return tf.constant(random.normal(0, 1.5 / np.sqrt(np.prod(shape[:-1])), shape), tf.float32)

    return make


def _corners(centers: Any, sizes: Any) -> Any:
    return tf.concat([centers - sizes / 2, centers + sizes / 2], -1)


def yolo(random: np.random.Generator) -> Any:
    """Boxes, objectness and classes at two scales, the second of them upsampled; Redmon's v3."""
    weights = _weights(random)
    trunk = [weights(3, 3, a, b) for a, b in ((3, 12), (12, 16), (16, 24))]
    lateral, depth = weights(1, 1, 24, 16), 5 + CLASSES
    heads = [weights(1, 1, width, 2 * depth) for width in (24, 32)]
    anchors = np.array([[[0.5, 0.4], [0.3, 0.6]], [[0.2, 0.2], [0.1, 0.3]]], np.float32)

    def decoded(found: Any, sizes: np.ndarray) -> tuple[Any, Any]:
        batch, cells = tf.shape(found)[0], tf.shape(found)[1]
        found = tf.reshape(found, [batch, cells, cells, 2, depth])
        xy, wh, objectness, classes = tf.split(found, [2, 2, 1, CLASSES], -1)
        grid = tf.stack(tf.meshgrid(tf.range(cells), tf.range(cells)), -1)[:, :, None]
        centers = (tf.sigmoid(xy) + tf.cast(grid, tf.float32)) / tf.cast(cells, tf.float32)
        boxes = _corners(centers, tf.exp(0.3 * wh) * sizes)
        scores = tf.sigmoid(objectness) * tf.sigmoid(classes)
        return tf.reshape(boxes, [batch, -1, 4]), tf.reshape(scores, [batch, -1, CLASSES])

    def call(images: Any) -> Any:
        x, maps = images, []
        for filters in trunk:
            padded = tf.pad(x, [[0, 0], [1, 0], [1, 0], [0, 0]])
            x = tf.nn.leaky_relu(tf.nn.conv2d(padded, filters, 2, "VALID"), 0.1)
            maps.append(x)
        size = tf.shape(maps[1])[1:3]
        up = tf.image.resize(tf.nn.conv2d(x, lateral, 1, "SAME"), size, "nearest")
        levels = zip((x, tf.concat([up, maps[1]], -1)), heads, anchors, strict=True)
        parts = [decoded(tf.nn.conv2d(m, head, 1, "SAME"), a) for m, head, a in levels]
        boxes, scores = (tf.concat(each, 1) for each in zip(*parts, strict=True))
        kept = tf.image.combined_non_max_suppression(boxes[:, :, None], scores, 5, 8, 0.45, 0.2)
        return list(kept)

    return call


def faster_rcnn(random: np.random.Generator) -> Any:
    """Two stages as in TensorFlow 1's detection API: loops over images and over classes."""
    weights = _weights(random)
    trunk = [weights(3, 3, a, b) for a, b in ((3, 8), (8, 16), (16, 24))]
    shared, objects, places = weights(3, 3, 24, 32), weights(1, 1, 32, 2), weights(1, 1, 32, 8)
    second, scores_of = weights(3, 3, 24, 32), weights(32, CLASSES + 1)
    boxes_of = weights(32, 4 * CLASSES)
    cells = SIZE // 8
    grid = np.stack(np.meshgrid(*[(np.arange(cells) + 0.5) / cells] * 2, indexing="ij"), -1)
    centers = np.repeat(grid.reshape(-1, 2), 2, 0).astype(np.float32)
    sizes = np.tile([[0.4, 0.4], [0.2, 0.5]], (cells * cells, 1)).astype(np.float32)
    most = 8

    def proposals(given: Any) -> Any:
        boxes, scores = given
        kept = tf.image.non_max_suppression(boxes, scores, most, 0.7)
        found = tf.gather(boxes, kept)
        return tf.pad(found, [[0, most - tf.shape(found)[0]], [0, 0]])

    def best(given: Any) -> Any:
        boxes, scores = given
        found = []
        for number in range(CLASSES):
            kept = tf.image.non_max_suppression(
                boxes[:, number], scores[:, number + 1], 4, 0.6, 0.2
            )
            found.append(
                (
                    tf.gather(boxes[:, number], kept),
                    tf.gather(scores[:, number + 1], kept),
                    tf.fill(tf.shape(kept), float(number + 1)),
                )
            )
        boxes, scores, classes = (tf.concat(each, 0) for each in zip(*found, strict=True))
        order = tf.argsort(scores, direction="DESCENDING", stable=True)[:6]
        missing = 6 - tf.shape(order)[0]
        return (
            tf.pad(tf.gather(boxes, order), [[0, missing], [0, 0]]),
            tf.pad(tf.gather(scores, order), [[0, missing]]),
            tf.pad(tf.gather(classes, order), [[0, missing]]),
        )

    def call(images: Any) -> Any:
        x = tf.map_fn(
            lambda image: tf.image.resize(tf.cast(image, tf.float32), [SIZE, SIZE]) / 127.5 - 1.0,
            images,
            fn_output_signature=tf.float32,
        )
        for filters in trunk:
            x = tf.nn.relu6(tf.nn.conv2d(x, filters, 2, "SAME"))
        h = tf.nn.relu(tf.nn.conv2d(x, shared, 1, "SAME"))
        batch = tf.shape(x)[0]
        scores = tf.sigmoid(tf.reshape(tf.nn.conv2d(h, objects, 1, "SAME"), [batch, -1]))
        offsets = tf.tanh(tf.reshape(tf.nn.conv2d(h, places, 1, "SAME"), [batch, -1, 4]))
        boxes = _corners(centers + 0.1 * offsets[..., :2], sizes * tf.exp(offsets[..., 2:]))
        boxes = tf.clip_by_value(boxes, 0.0, 1.0)
        rois = tf.map_fn(proposals, (boxes, scores), fn_output_signature=tf.float32)
        images_of = tf.repeat(tf.range(batch), most)
        crops = tf.image.crop_and_resize(x, tf.reshape(rois, [-1, 4]), images_of, [6, 6])
        crops = tf.nn.max_pool2d(crops, 2, 2, "SAME")
        h = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(crops, second, 1, "SAME")), [1, 2])
        classes = tf.reshape(tf.nn.softmax(h @ scores_of), [batch, most, CLASSES + 1])
        moved = tf.reshape(tf.tanh(h @ boxes_of), [batch, most, CLASSES, 4])
        refined = tf.expand_dims(rois, 2) + 0.05 * moved
        kinds = (tf.float32,) * 3
        return list(tf.map_fn(best, (refined, classes), fn_output_signature=kinds))

    return call
