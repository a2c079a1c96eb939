"""Programs with layers, for either library: their graphs are the same node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.library.layers.both import layers_of


def _floats(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder(tf.float32, list(shape))


def _dense(tf: Any) -> Any:
    layers, x = layers_of(tf), _floats(tf, None, 5)
    first = layers.dense(x, 3, activation=tf.nn.relu)
    second = layers.dense(first, 2, name="n")
    third = layers.dense(first, 2, name="n", reuse=True)
    return [second, third, layers.dense(_floats(tf, 2, None, 3), 4, use_bias=False)]


def _conv1d(tf: Any) -> Any:
    conv1d, x = layers_of(tf).conv1d, _floats(tf, None, 9, 3)
    conv1d(x, 4, 2, data_format="channels_first")
    causal = conv1d(x, 4, 3, padding="causal", dilation_rate=2)
    return [conv1d(x, 4, 3), conv1d(x, 4, 3, strides=2, padding="same"), causal]


def _conv2d(tf: Any) -> Any:
    conv2d, x = layers_of(tf).conv2d, _floats(tf, None, 8, 9, 3)
    conv2d(x, 4, 3, data_format="channels_first")
    return [
        conv2d(x, 4, [3, 2], strides=2, padding="same", activation=tf.nn.relu),
        conv2d(x, 4, (2, 3), dilation_rate=(2, 1), padding="SAME", use_bias=False),
        conv2d(_floats(tf, 2, 2, 8, 8, 1), 4, 3),
    ]


def _conv3d(tf: Any) -> Any:
    conv3d, x = layers_of(tf).conv3d, _floats(tf, None, 7, 6, 7, 2)
    conv3d(x, 4, 2, data_format="channels_first")
    return [conv3d(x, 4, 3, strides=(2, 1, 2), padding="same"), conv3d(x, 4, 2, dilation_rate=2)]


def _conv3d_transpose(tf: Any) -> Any:
    transpose, x = layers_of(tf).conv3d_transpose, _floats(tf, None, 3, 4, 3, 3)
    transpose(x, 4, 3, 2, data_format="channels_first", use_bias=False)
    return [transpose(x, 4, 3), transpose(x, 4, 3, 2, "same")]


def _separable_conv1d(tf: Any) -> Any:
    separable, x = layers_of(tf).separable_conv1d, _floats(tf, None, 8, 3)
    separable(x, 4, 2, data_format="channels_first")
    return [
        separable(x, 4, 3, 2, "same", depth_multiplier=2),
        separable(x, 4, 3, dilation_rate=2),
        separable(x, 4, 2, padding="causal", activation=tf.nn.tanh),
    ]


def _separable_conv2d(tf: Any) -> Any:
    separable, x = layers_of(tf).separable_conv2d, _floats(tf, None, 8, 8, 3)
    separable(x, 4, 3, data_format="channels_first")
    return [separable(x, 4, 3, 2, "same", depth_multiplier=2), separable(x, 4, 3, dilation_rate=2)]


def _pooling(tf: Any) -> Any:
    made = []
    for kind in ("average", "max"):
        for rank in (1, 2, 3):
            pool = getattr(layers_of(tf), f"{kind}_pooling{rank}d")
            x = _floats(tf, None, *[8, 7, 6][:rank], 3)
            made += [pool(x, 2, 2), pool(x, 3, 1, "same")]
            pool(x, 2, 2, data_format="channels_first", name="k")
    return made


def _dropout_and_flatten(tf: Any) -> Any:
    layers, x = layers_of(tf), _floats(tf, None, 5)
    layers.dropout(x, 0.3, training=True)
    training = tf.placeholder(tf.bool, [])
    layers.dropout(x, 0.3, noise_shape=(None, 1), training=training, seed=3)
    shapes = [(None, 3, 4), (2, None, 4), (None, None, 4), (None,)]
    flat = [layers.flatten(_floats(tf, *shape)) for shape in shapes]
    first = layers.flatten(_floats(tf, None, 2, 3, 4), data_format="channels_first")
    return [*flat, first, layers.dropout(x)]


def _regularized(tf: Any) -> Any:
    layers, x = layers_of(tf), _floats(tf, None, 5)

    def loss(value: Any) -> Any:
        return tf.reduce_sum(value) * 0.1

    with tf.variable_scope("s", regularizer=loss, initializer=tf.ones_initializer()):
        layers.dense(x, 2)
        options = {f"{each}_regularizer": loss for each in ("kernel", "bias", "activity")}
        layer = layers.Dense(3, name="q", **options)
        first = layer(x)
        layer(x)
        layer.apply(first[:, :1] * x)
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
        layers.dense(x, 4, kernel_regularizer=loss)
    with tf.variable_scope("again", reuse=tf.AUTO_REUSE):
        for _ in range(2):
            layers.dense(x, 4, kernel_regularizer=loss, name="d")
    return [tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)[:2]]


def _scopes(tf: Any) -> Any:
    layers, x = layers_of(tf), _floats(tf, None, 5)
    with tf.variable_scope("a") as scope:
        layer = layers.Dense(5)
        layer(x)
    with tf.variable_scope("b"):
        layer(x)
        layers.Dense(2, _scope=scope)(x)
        layers.Dense(2, name="named")(x, scope="given")
    with tf.name_scope("c"):
        layers.dense(x, 2)
    return [layers.dense(np.ones([1, 2], np.float32), 2, kernel_initializer=tf.ones_initializer())]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "dense": _dense,
    "conv1d": _conv1d,
    "conv2d": _conv2d,
    "conv3d": _conv3d,
    "conv3d_transpose": _conv3d_transpose,
    "separable_conv1d": _separable_conv1d,
    "separable_conv2d": _separable_conv2d,
    "pooling": _pooling,
    "dropout and flatten": _dropout_and_flatten,
    "regularizers": _regularized,
    "scopes": _scopes,
}
"""What a program returns is computed too."""
