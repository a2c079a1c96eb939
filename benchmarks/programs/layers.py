"""A convolutional net by `tf.layers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Program, Step, floats


class _RawLayers:
    """The layers of the net by ops alone: TensorFlow 2 has `tf.layers` in Keras only."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def _trained(self, name: str, start: Any, shape: tuple[int, ...]) -> Any:
        return self._tf.get_variable(name, shape, initializer=start)

    def conv2d(
        self, x: Any, filters: int, size: int, use_bias: bool, padding: str,
        kernel_initializer: Any, name: str,
    ) -> Any:  # fmt: skip
        """A convolution without a bias."""
        assert not use_bias
        with self._tf.variable_scope(name):
            shape = (size, size, x.shape.as_list()[-1], filters)
            kernel = self._trained("kernel", kernel_initializer, shape)
        return self._tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding=padding.upper())

    def batch_normalization(self, x: Any, training: bool, name: str) -> Any:
        """Normalised by the batch, whose moments move the averages when training goes on."""
        assert training
        tf = self._tf
        zeros, ones = tf.zeros_initializer(), tf.ones_initializer()
        shape = (x.shape.as_list()[-1],)
        with tf.variable_scope(name):
            gamma, beta = self._trained("gamma", ones, shape), self._trained("beta", zeros, shape)
            means = tf.get_variable("mean", shape, initializer=zeros, trainable=False)
            variances = tf.get_variable("variance", shape, initializer=ones, trainable=False)
        y, mean, variance = tf.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3, is_training=True)
        for average, value in ((means, mean), (variances, variance)):
            update = tf.assign_sub(average, (average - value) * 0.01)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return y

    def max_pooling2d(self, x: Any, size: int, strides: int) -> Any:
        """The greatest of each square."""
        ends = [1, size, size, 1], [1, strides, strides, 1]
        return self._tf.nn.max_pool(x, ksize=ends[0], strides=ends[1], padding="VALID")

    def flatten(self, x: Any) -> Any:
        """One row an example."""
        return self._tf.reshape(x, [-1, int(np.prod(x.shape.as_list()[1:]))])

    def dropout(self, x: Any, rate: float, training: bool, seed: int) -> Any:
        """A part set to zero, the rest scaled up."""
        assert training
        return self._tf.nn.dropout(x, rate=rate, seed=seed)

    def dense(
        self, x: Any, units: int, activation: Any = None, *, kernel_initializer: Any, name: str
    ) -> Any:
        """A product and a bias."""
        tf = self._tf
        with tf.variable_scope(name):
            kernel = self._trained("kernel", kernel_initializer, (x.shape.as_list()[-1], units))
            bias = self._trained("bias", tf.zeros_initializer(), (units,))
        y = tf.nn.bias_add(tf.matmul(x, kernel), bias)
        return y if activation is None else activation(y)


def convnet(tf: Any, session: Any) -> Step:
    """Two blocks of conv 3x3, batch norm, relu and pooling, dropout, dense: a step of momentum."""
    layers = tf.layers if tf.__name__ == "dataflow" else _RawLayers(tf)
    batch, side = 64, 28

    def start(seed: int, *shape: int) -> Any:
        scale = float(np.prod(shape[:-1])) ** -0.5
        return tf.constant_initializer(floats(seed, *shape, scale=scale))

    x = tf.placeholder(tf.float32, [None, side, side, 1])
    labels = tf.placeholder(tf.int64, [None])
    y, depth = x, 1
    for block, filters in enumerate((16, 32)):
        kernel = start(block, 3, 3, depth, filters)
        y = layers.conv2d(
            y, filters, 3, use_bias=False, padding="same", kernel_initializer=kernel,
            name=f"conv{block}",
        )  # fmt: skip
        y = tf.nn.relu(layers.batch_normalization(y, training=True, name=f"norm{block}"))
        y, depth = layers.max_pooling2d(y, 2, 2), filters
    y = layers.dropout(layers.flatten(y), rate=0.4, training=True, seed=3)
    y = layers.dense(
        y, 128, tf.nn.relu, kernel_initializer=start(2, 7 * 7 * depth, 128), name="hidden"
    )
    logits = layers.dense(y, 10, kernel_initializer=start(3, 128, 10), name="logits")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    session.run(tf.global_variables_initializer())
    random = np.random.default_rng(0)
    feeds = {
        x: random.random((batch, side, side, 1), np.float32),
        labels: random.integers(0, 10, batch),
    }
    return lambda: session.run([train, loss], feeds)


LAYERS = (Program("tf.layers convnet, batch 64, momentum step", convnet),)
