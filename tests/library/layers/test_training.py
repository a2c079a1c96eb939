"""A net of layers is trained on either target: its loss falls and its averages move."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf


def test_a_net_learns(session_factory: Any) -> None:
    random = np.random.default_rng(0)
    images = random.normal(size=[16, 6, 6, 1]).astype(np.float32)
    wanted = images.mean((1, 2, 3))[:, np.newaxis]
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 6, 6, 1])
        hidden = tf.layers.conv2d(x, 4, 3, use_bias=False)
        hidden = tf.nn.relu(tf.layers.batch_normalization(hidden, training=True))
        hidden = tf.layers.conv2d_transpose(tf.layers.max_pooling2d(hidden, 2, 2), 2, 2, 2)
        outputs = tf.layers.dense(tf.layers.flatten(hidden), 1)
        loss = tf.losses.mean_squared_error(wanted, outputs)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.AdamOptimizer(0.02).minimize(loss)
        average = graph.get_tensor_by_name("batch_normalization/moving_variance:0")
        session = session_factory(graph)
        session.run(tf.global_variables_initializer())
        first = session.run(loss, {x: images})
        for _ in range(40):
            session.run(train, {x: images})
        assert session.run(loss, {x: images}) < first / 4
        assert not np.any(session.run(average) == 1.0)
