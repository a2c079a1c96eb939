"""An encoder and a decoder whose attention knows how far apart words are, in buckets.

Raffel et al., Exploring the limits of transfer learning with a unified text-to-text transformer
(2020), section 2.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

WORDS, WIDTH, HEADS, BUCKETS, FARTHEST = 40, 24, 3, 8, 20


def _bucket(distance: Any, both_ways: bool) -> Any:
    """One bucket for each small distance, and wider ones for larger distances."""
    count = BUCKETS
    first = tf.zeros_like(distance)
    if both_ways:
        count //= 2
        first = tf.cast(distance > 0, tf.int32) * count
        distance = tf.abs(distance)
    else:
        distance = -tf.minimum(distance, 0)
    exact = count // 2
    share = tf.math.log(tf.cast(distance, tf.float32) / exact) / math.log(FARTHEST / exact)
    far = tf.minimum(exact + tf.cast(share * (count - exact), tf.int32), count - 1)
    return first + tf.where(distance < exact, distance, far)


def _norm(x: Any, scale: Any) -> Any:
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-6) * scale


def function(random: np.random.Generator) -> Any:
    """The net, as a function of the words to read and of those that are written so far."""

    def weights(*shape: int) -> Any:
        return tf.constant(random.normal(0, 1 / math.sqrt(shape[0]), shape), tf.float32)

    words, gates, up, down = (
        weights(WORDS, WIDTH),
        weights(WIDTH, 48),
        weights(WIDTH, 48),
        weights(48, WIDTH),
    )
    scales = [tf.constant(random.uniform(0.5, 1.5, WIDTH), tf.float32) for _ in range(5)]
    parts = {
        name: [weights(WIDTH, WIDTH) for _ in range(4)] for name in ("encoder", "decoder", "cross")
    }
    tables = {name: weights(BUCKETS, HEADS) for name in ("encoder", "decoder")}

    def heads(x: Any, weight: Any) -> Any:
        split = tf.reshape(x @ weight, [tf.shape(x)[0], tf.shape(x)[1], HEADS, WIDTH // HEADS])
        return tf.transpose(split, [0, 2, 1, 3])

    def attend(name: str, x: Any, memory: Any, mask: Any) -> Any:
        query, key, value, out = parts[name]
        q, k, v = heads(x, query), heads(memory, key), heads(memory, value)
        scores = tf.matmul(q, k, transpose_b=True)
        if name in tables:
            steps = tf.range(tf.shape(x)[1])
            bucket = _bucket(steps[None, :] - steps[:, None], name == "encoder")
            scores += tf.transpose(tf.gather(tables[name], bucket), [2, 0, 1])[None]
        found = tf.nn.softmax(tf.where(mask, scores, -1e9)) @ v
        merged = tf.transpose(found, [0, 2, 1, 3])
        return tf.reshape(merged, [tf.shape(x)[0], tf.shape(x)[1], WIDTH]) @ out

    def call(read: Any, written: Any) -> Any:
        h, g = tf.gather(words, read), tf.gather(words, written)
        seen = tf.not_equal(read, 0)[:, None, None, :]
        n = _norm(h, scales[0])
        h += attend("encoder", n, n, seen)
        n = _norm(h, scales[1])
        h += (tf.nn.gelu(n @ gates, approximate=True) * (n @ up)) @ down
        length = tf.shape(written)[1]
        before = tf.cast(tf.linalg.band_part(tf.ones([length, length]), -1, 0), tf.bool)
        n = _norm(g, scales[2])
        g += attend("decoder", n, n, before)
        g += attend("cross", _norm(g, scales[3]), h, seen)
        return tf.matmul(_norm(g, scales[4]) * WIDTH**-0.5, words, transpose_b=True)

    return call
