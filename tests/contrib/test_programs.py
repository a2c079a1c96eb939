"""Small programs of the kinds that tf.contrib was used for, trained some steps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import layers, slim, tpu
from tests.oracle import open_session

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(11)


class AdamWeightDecay(tf.train.Optimizer):  # type: ignore[misc]
    """Adam with weight decay as programs of encoders write it: a step made of assignments."""

    def __init__(self, rate: Any, decay: float, exclude: list[str]) -> None:
        super().__init__(False, "AdamWeightDecay")
        self.rate, self.decay, self.exclude = rate, decay, exclude

    def apply_gradients(self, pairs: Any, global_step: Any = None, name: Any = None) -> Any:
        assignments = []
        for grad, parameter in pairs:
            if grad is None:
                continue
            found = re.match("^(.*):\\d+$", parameter.name)
            assert found is not None
            m, v = (
                tf.get_variable(
                    name=f"{found.group(1)}/{kind}",
                    shape=parameter.shape.as_list(),
                    dtype=tf.float32,
                    trainable=False,
                    initializer=tf.zeros_initializer(),
                )
                for kind in ("adam_m", "adam_v")
            )
            next_m = tf.multiply(0.9, m) + tf.multiply(0.1, grad)
            next_v = tf.multiply(0.999, v) + tf.multiply(0.001, tf.square(grad))
            update = next_m / (tf.sqrt(next_v) + 1e-6)
            if not any(re.search(each, found.group(1)) for each in self.exclude):
                update += self.decay * parameter
            assignments += [
                parameter.assign(parameter - self.rate * update),
                m.assign(next_m),
                v.assign(next_v),
            ]
        return tf.group(*assignments, name=name)


def encoder(ids: Any, is_training: bool) -> Any:
    """Two layers of attention over embedded words; the first word's vector."""
    initializer = tf.truncated_normal_initializer(stddev=0.02)
    with tf.variable_scope("bert"):
        with tf.variable_scope("embeddings"):
            table = tf.get_variable("word_embeddings", [20, 16], initializer=initializer)
            places = tf.get_variable("position_embeddings", [6, 16], initializer=initializer)
            x = tf.nn.embedding_lookup(table, ids) + places
            x = layers.layer_norm(inputs=x, begin_norm_axis=-1, begin_params_axis=-1)
            x = tf.nn.dropout(x, keep_prob=0.9) if is_training else x
        for number in range(2):
            with tf.variable_scope(f"layer_{number}"):
                q, k, v = (
                    tf.layers.dense(x, 16, name=name, kernel_initializer=initializer)
                    for name in ("query", "key", "value")
                )
                heads = [tf.concat(tf.split(each, 2, axis=-1), axis=0) for each in (q, k, v)]
                scores = tf.matmul(heads[0], heads[1], transpose_b=True) / np.sqrt(8.0)
                mixed = tf.concat(tf.split(tf.matmul(tf.nn.softmax(scores), heads[2]), 2), -1)
                x = layers.layer_norm(x + mixed, begin_norm_axis=-1, begin_params_axis=-1)
                inner = tf.layers.dense(x, 32, tf.nn.relu, kernel_initializer=initializer)
                x = layers.layer_norm(
                    x + tf.layers.dense(inner, 16), begin_norm_axis=-1, begin_params_axis=-1
                )
        return tf.squeeze(x[:, 0:1, :], axis=1)


def test_an_encoder_in_a_tpu_estimator(tmp_path: Path) -> None:
    ids = RANDOM.randint(0, 20, (64, 6))
    labels = (ids[:, 2] > 9).astype(np.int32)

    def input_fn(params: Any) -> Any:
        queue = tf.FIFOQueue(8, [tf.int64, tf.int32], [[64, 6], [64]])
        runner = tf.train.QueueRunner(queue, [queue.enqueue([ids, labels])])
        tf.train.add_queue_runner(runner)
        x, y = queue.dequeue()
        size = params["batch_size"]
        return {"ids": x[:size]}, y[:size]

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        training = mode == tf.estimator.ModeKeys.TRAIN
        pooled = encoder(features["ids"], training)
        logits = layers.fully_connected(pooled, 2, activation_fn=None)
        one_hot = tf.one_hot(labels, depth=2, dtype=tf.float32)
        loss = tf.reduce_mean(-tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), axis=-1))
        step = tf.train.get_or_create_global_step()
        rate = tf.train.polynomial_decay(0.01, step, 60, 0.0)
        variables = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
        optimizer = AdamWeightDecay(rate, 0.01, ["LayerNorm", "layer_norm", "bias"])
        train = optimizer.apply_gradients(zip(grads, variables, strict=True), global_step=step)
        train_op = tf.group(train, [step.assign(step + 1)])

        def metric_fn(labels: Any, logits: Any) -> Any:
            predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
            return {"accuracy": tf.metrics.accuracy(labels=labels, predictions=predictions)}

        return tpu.TPUEstimatorSpec(
            mode=mode,
            loss=loss,
            train_op=train_op,
            eval_metrics=(metric_fn, [labels, logits]),
            scaffold_fn=None,
        )

    config = tpu.RunConfig(
        cluster=None,
        master=None,
        model_dir=str(tmp_path),
        save_checkpoints_steps=50,
        tf_random_seed=5,
        tpu_config=tpu.TPUConfig(
            iterations_per_loop=10,
            num_shards=8,
            per_host_input_for_training=tpu.InputPipelineConfig.PER_HOST_V2,
        ),
    )
    est = tpu.TPUEstimator(
        use_tpu=False, model_fn=model_fn, config=config, train_batch_size=64, eval_batch_size=64
    )
    est.train(input_fn, max_steps=1)
    before = est.evaluate(input_fn, steps=1)
    est.train(input_fn=input_fn, max_steps=60)
    after = est.evaluate(input_fn, steps=1)
    assert after["loss"] < 0.7 * before["loss"]
    assert after["accuracy"] > 0.9
    names = est.get_variable_names()
    assert "bert/layer_1/LayerNorm_1/gamma" in names
    assert "bert/layer_0/query/kernel/adam_m" in names


def test_a_net_of_branches() -> None:
    images = RANDOM.standard_normal((16, 8, 8, 3)).astype(np.float32)
    labels = (images[:, :4].mean((1, 2, 3)) > images[:, 4:].mean((1, 2, 3))).astype(np.int64)

    def block(x: Any, scope: str) -> Any:
        with tf.variable_scope(scope, "Block", [x]):
            with tf.variable_scope("Branch_0"):
                first = slim.conv2d(x, 4, [1, 1], scope="Conv2d_0a_1x1")
            with tf.variable_scope("Branch_1"):
                second = slim.conv2d(x, 4, [1, 1], scope="Conv2d_0a_1x1")
                second = slim.separable_conv2d(second, 6, [3, 3], scope="Conv2d_0b_3x3")
            with tf.variable_scope("Branch_2"):
                third = slim.avg_pool2d(x, [3, 3], stride=1, scope="AvgPool_0a_3x3")
                third = slim.conv2d(third, 4, [1, 1], scope="Conv2d_0b_1x1")
            return tf.concat([first, second, third], 3)

    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        normal = {"is_training": True, "decay": 0.9, "scale": True}
        with (
            slim.arg_scope(
                [slim.conv2d, slim.separable_conv2d, slim.fully_connected],
                weights_regularizer=slim.l2_regularizer(1e-4),
                weights_initializer=slim.variance_scaling_initializer(),
            ),
            slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params=normal),
            slim.arg_scope([slim.conv2d, slim.avg_pool2d], padding="SAME"),
        ):
            net = block(tf.constant(images), "Mixed_1a")
            net = slim.max_pool2d(net, [2, 2], scope="MaxPool_1b")
            net = block(net, "Mixed_2a")
            net = slim.flatten(tf.reduce_mean(net, [1, 2], keepdims=True))
            logits = slim.fully_connected(net, 2, activation_fn=None, scope="Logits")
        slim.losses.sparse_softmax_cross_entropy(logits, labels)
        loss = slim.losses.get_total_loss()
        train_op = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.02))
        session.run(tf.global_variables_initializer())
        losses = [session.run(train_op) for _ in range(60)]
    assert np.mean(losses[-5:]) < 0.4 * np.mean(losses[:5])


def test_two_nets_against_each_other() -> None:
    """A generator of pictures and its judge, in turns."""
    real = np.zeros((8, 8, 8, 1), np.float32)
    real[:, 2:6, 2:6] = 1.0

    def normalized(x: Any, name: str) -> Any:
        return layers.batch_norm(
            x, decay=0.9, updates_collections=None, epsilon=1e-5, scale=True, scope=name
        )

    def generator(noise: Any) -> Any:
        with tf.variable_scope("generator"):
            x = layers.fully_connected(noise, 2 * 2 * 8, activation_fn=None)
            x = tf.nn.relu(normalized(tf.reshape(x, [-1, 2, 2, 8]), "g_bn0"))
            x = layers.conv2d_transpose(x, 8, 3, stride=2, activation_fn=None)
            x = tf.nn.relu(normalized(x, "g_bn1"))
            return layers.conv2d_transpose(x, 1, 3, stride=2, activation_fn=tf.nn.sigmoid)

    def judge(pictures: Any, reuse: bool) -> Any:
        with tf.variable_scope("discriminator", reuse=reuse):
            x = layers.conv2d(pictures, 8, 3, stride=2, activation_fn=tf.nn.leaky_relu, scope="c0")
            x = layers.conv2d(x, 8, 3, stride=2, activation_fn=None, scope="c1")
            x = tf.nn.leaky_relu(normalized(x, "d_bn1"))
            return layers.linear(layers.flatten(x), 1, scope="out")

    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        noise = tf.random_uniform([8, 4], -1.0, 1.0, seed=2)
        made = generator(noise)
        on_real, on_made = judge(tf.constant(real), False), judge(made, True)
        entropy = tf.nn.sigmoid_cross_entropy_with_logits
        d_loss = tf.reduce_mean(
            entropy(labels=tf.ones_like(on_real), logits=on_real)
        ) + tf.reduce_mean(entropy(labels=tf.zeros_like(on_made), logits=on_made))
        g_loss = tf.reduce_mean(entropy(labels=tf.ones_like(on_made), logits=on_made))
        steps = [
            tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(
                loss, var_list=[v for v in tf.trainable_variables() if v.op.name.startswith(scope)]
            )
            for loss, scope in ((d_loss, "discriminator"), (g_loss, "generator"))
        ]
        session.run(tf.global_variables_initializer())
        distance = tf.reduce_mean(tf.abs(made - tf.constant(real)))
        before = session.run(distance)
        for _ in range(60):
            session.run(steps[0])
            session.run(steps[1])
        assert session.run(distance) < 0.7 * before


def learned_to_learn(lib: Any, session_of: Any) -> np.ndarray:
    """Losses of steps whose gradients go through steps of tasks, inside map_fn."""
    x = np.linspace(-1, 1, 8).astype(np.float32).reshape(1, 8, 1)
    amplitudes = np.array([1.0, 0.5, 2.0], np.float32).reshape(3, 1, 1)
    inputs = np.tile(x, [3, 1, 1])
    targets = amplitudes * np.sin(3 * x)
    with lib.Graph().as_default():
        weights = [
            lib.get_variable(
                f"w{i}", initializer=lib.constant(np.sin(np.arange(n * m) + i).reshape(n, m) * 0.5)
            )
            for i, (n, m) in enumerate(((1, 6), (6, 1)))
        ]
        weights = [lib.cast(each, lib.float32) for each in weights]

        def forward(values: Any, found: list[Any]) -> Any:
            return lib.matmul(lib.nn.tanh(lib.matmul(values, found[0])), found[1])

        def task(pair: Any) -> Any:
            values, wanted = pair
            fast = list(weights)
            for _ in range(2):
                loss = lib.reduce_mean(lib.square(forward(values[:4], fast) - wanted[:4]))
                grads = lib.gradients(loss, fast)
                fast = [each - 0.1 * grad for each, grad in zip(fast, grads, strict=True)]
            return lib.reduce_mean(lib.square(forward(values[4:], fast) - wanted[4:]))

        losses = lib.map_fn(
            task,
            (lib.constant(inputs), lib.constant(targets)),
            dtype=lib.float32,
            parallel_iterations=3,
        )
        total = lib.reduce_mean(losses)
        train = lib.train.GradientDescentOptimizer(0.1).minimize(total)
        with session_of(lib) as session:
            session.run(lib.global_variables_initializer())
            found = []
            for _ in range(5):
                found.append(session.run(losses))
                session.run(train)
        return np.array(found)


def test_learning_to_learn() -> None:
    mine, other = (learned_to_learn(lib, open_session) for lib in (tf, tf1))
    np.testing.assert_allclose(mine, other, rtol=1e-4)
    assert mine[-1].mean() < mine[0].mean()


def graph_net(lib: Any) -> np.ndarray:
    """Losses of a net that passes messages along the edges of a graph, a sparse matrix."""
    edges = np.array([[0, 1], [1, 0], [1, 2], [2, 1], [3, 3], [4, 0], [4, 2]])
    nodes = np.sin(np.arange(15)).reshape(5, 3).astype(np.float32)
    with lib.Graph().as_default():
        degrees = lib.bincount(lib.constant(edges[:, 0], lib.int32), minlength=5)
        values = 1.0 / lib.gather(lib.cast(degrees, lib.float32), edges[:, 0])
        adjacency = lib.SparseTensor(edges, values, [5, 5])
        x = lib.constant(nodes)
        for i, size in enumerate((4, 2)):
            start = np.cos(np.arange(int(x.shape[1]) * size)).reshape(-1, size) * 0.5
            weights = lib.get_variable(f"w{i}", initializer=lib.constant(start, lib.float32))
            x = lib.sparse_tensor_dense_matmul(adjacency, lib.matmul(x, weights))
            x = lib.nn.relu(x) if i == 0 else x
        pooled = lib.segment_sum(x, lib.constant([0, 0, 0, 1, 1]))
        loss = lib.reduce_mean(
            lib.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=pooled)
        )
        train = lib.train.AdamOptimizer(0.05).minimize(loss)
        with open_session(lib) as session:
            session.run(lib.global_variables_initializer())
            return np.array([session.run([loss, train])[0] for _ in range(12)])


def test_a_graph_net() -> None:
    mine, other = graph_net(tf), graph_net(tf1)
    np.testing.assert_allclose(mine, other, rtol=1e-3)
    assert mine[-1] < mine[0]


@pytest.mark.parametrize("double", [False, True])
def test_values_of_actions(double: bool) -> None:
    """Q learning with functions of placeholders and a target net, on a chain of three places."""

    def function(inputs: list[Any], outputs: Any, updates: Any = ()) -> Any:
        group = tf.group(*updates)

        def call(*given: Any) -> Any:
            feed = dict(zip(inputs, given, strict=True))
            return tf.get_default_session().run([outputs, group], feed_dict=feed)[0]

        return call

    def q_net(places: Any, scope: str, reuse: Any = None) -> Any:
        with tf.variable_scope(scope, reuse=reuse):
            hot = tf.one_hot(places, 3)
            hidden = layers.fully_connected(hot, num_outputs=16, activation_fn=tf.nn.tanh)
            return layers.fully_connected(hidden, num_outputs=2, activation_fn=None)

    with tf.Graph().as_default(), tf.Session():
        tf.set_random_seed(4)
        at, action, reward, then, done = (
            tf.placeholder(dtype, [None])
            for dtype in ("int32", "int32", "float32", "int32", "float32")
        )
        q = q_net(at, "q_func")
        target = q_net(then, "target_q_func")
        chosen = tf.reduce_sum(q * tf.one_hot(action, 2), 1)
        if double:
            best = tf.argmax(q_net(then, "q_func", reuse=True), 1)
            after = tf.reduce_sum(target * tf.one_hot(best, 2), 1)
        else:
            after = tf.reduce_max(target, 1)
        wanted = tf.stop_gradient(reward + 0.5 * (1.0 - done) * after)
        error = tf.losses.huber_loss(wanted, chosen)
        own, theirs = (
            sorted(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope), key=lambda v: v.name)
            for scope in ("q_func", "target_q_func")
        )
        optimizer = tf.train.AdamOptimizer(0.02)
        grads = [
            (tf.clip_by_norm(grad, 10.0), variable)
            for grad, variable in optimizer.compute_gradients(error, var_list=own)
            if grad is not None
        ]
        train = function(
            [at, action, reward, then, done], error, [optimizer.apply_gradients(grads)]
        )
        copy = function([], [], [b.assign(a) for a, b in zip(own, theirs, strict=True)])
        values = function([at], q)
        tf.get_default_session().run(tf.global_variables_initializer())
        moves = [
            (s, a, float(s == 2 and a), (s + a) % 3, float(s == 2 and a))
            for s in (0, 1, 2)
            for a in (0, 1)
        ]
        batch = [np.array(each) for each in zip(*moves, strict=True)]
        for step in range(240):
            if step % 20 == 0:
                copy()
            train(*batch)
        found = values([0, 1, 2])
    # Right is worth 1 at the end, and half as much a step before.
    np.testing.assert_allclose(found[:, 1], [0.25, 0.5, 1.0], atol=0.06)
    np.testing.assert_allclose(found[:, 0], found[:, 1] / 2, atol=0.06)
