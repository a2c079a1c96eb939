"""Small networks trained with the same numbers as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import oracle, tf

_STEPS = 8


def _weights(library: Any, name: str, *shape: int) -> Any:
    seed = sum(map(ord, name))
    values = np.random.default_rng(seed).standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))
    return library.get_variable(name, initializer=values.astype(np.float32))


def _convolutional(library: Any, images: Any, labels: Any) -> Any:
    """Convolution, batch normalization, pooling, dropout and a dense layer."""
    nn = library.nn
    hidden = nn.conv2d(images, _weights(library, "conv1", 3, 3, 1, 6), 1, "SAME")
    scale, offset = _weights(library, "scale", 6), _weights(library, "offset", 6)
    hidden = nn.fused_batch_norm(hidden, scale, offset)[0]
    hidden = nn.max_pool(nn.relu(hidden), 2, 2, "SAME")
    hidden = nn.depthwise_conv2d(
        hidden, _weights(library, "depthwise", 3, 3, 6, 2), [1, 1, 1, 1], "SAME"
    )
    hidden = nn.bias_add(hidden, _weights(library, "bias1", 12))
    hidden = nn.avg_pool(nn.elu(hidden), 2, 2, "VALID")
    hidden = library.reshape(nn.lrn(hidden, 2), [-1, 4 * 12])
    hidden = nn.dropout(hidden, rate=0.25, seed=4)
    logits = nn.xw_plus_b(hidden, _weights(library, "dense", 48, 5), _weights(library, "bias2", 5))
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def _dense(library: Any, images: Any, labels: Any) -> Any:
    """Embeddings, layers with moments, and a sigmoid loss."""
    nn = library.nn
    flat = library.reshape(images, [-1, 64])
    hidden = nn.leaky_relu(library.matmul(flat, _weights(library, "in", 64, 16)))
    mean, variance = nn.moments(hidden, [0])
    hidden = nn.batch_normalization(hidden, mean, variance, None, None, 1e-3)
    table = _weights(library, "table", 5, 16)
    scores = library.matmul(nn.softplus(hidden), nn.l2_normalize(table, 1), transpose_b=True)
    targets = library.one_hot(labels, 5)
    own = library.reduce_sum(hidden * nn.embedding_lookup(table, labels), 1)
    loss = nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=scores)
    return library.reduce_sum(loss, 1) + 0.1 * nn.softsign(own)


def _losses(library: Any, network: Callable[[Any, Any, Any], Any]) -> list[float]:
    random = np.random.default_rng(0)
    images = random.standard_normal((20, 8, 8, 1)).astype(np.float32)
    labels = random.integers(0, 5, 20).astype(np.int32)
    with library.Graph().as_default(), library.Session() as session:
        library.set_random_seed(3)
        x = library.placeholder(library.float32, [None, 8, 8, 1])
        y = library.placeholder(library.int32, [None])
        loss = library.reduce_mean(network(library, x, y))
        train = library.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        session.run(library.global_variables_initializer())
        return [session.run([loss, train], {x: images, y: labels})[0] for _ in range(_STEPS)]


@pytest.mark.parametrize("network", [_convolutional, _dense])
def test_losses_are_tensorflows(network: Callable[[Any, Any, Any], Any]) -> None:
    theirs, ours = _losses(oracle, network), _losses(tf, network)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)
    assert ours[-1] < ours[0]


def test_a_slope_that_is_learned() -> None:
    """What programs from before TensorFlow 1.12 hand to leaky_relu; 2.21 takes numbers only."""
    x = np.array([[1.0, -2.0, 0.5], [-1.0, 4.0, -3.0]], np.float32)
    slope = np.array([0.25, 0.5, 0.75], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        features = tf.constant(x)
        alpha = tf.get_variable("alpha", initializer=slope)
        result = tf.nn.leaky_relu(features, alpha, name="prelu")
        session.run(tf.global_variables_initializer())
        values, grads = session.run([result, tf.gradients(result, [features, alpha])])
    assert result.name == "prelu:0"
    np.testing.assert_array_equal(values, np.where(x < 0, slope * x, x))
    np.testing.assert_array_equal(grads[0], np.where(x < 0, slope, 1))
    np.testing.assert_array_equal(grads[1], np.where(x < 0, x, 0).sum(0))
