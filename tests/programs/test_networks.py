"""Networks as tutorials train them, with every optimizer."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tests.programs.both import assert_same_program
from tests.training.models import OPTIMIZERS

_DIGITS = load_digits()
_IMAGES = (_DIGITS.images / 16.0).astype(np.float32)
_LABELS = _DIGITS.target.astype(np.int64)
_ONE_HOT = np.eye(10, dtype=np.float32)[_LABELS]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_perceptron_with_each_optimizer(optimizer: str) -> None:
    """Weights in dictionaries, layers as a function, cost and accuracy as the books have them."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(1)
        sizes = {"h1": (64, 16), "h2": (16, 12), "out": (12, 10)}
        weights = {
            key: tf.Variable((random.randn(*size) * 0.2).astype(np.float32), name=key)
            for key, size in sizes.items()
        }
        biases = {key: tf.Variable(tf.zeros([size[1]])) for key, size in sizes.items()}
        x = tf.placeholder("float", [None, 64])
        y = tf.placeholder("float", [None, 10])

        def perceptron(inputs: Any) -> Any:
            layer_1 = tf.nn.relu(tf.add(tf.matmul(inputs, weights["h1"]), biases["h1"]))
            layer_2 = tf.nn.tanh(tf.matmul(layer_1, weights["h2"]) + biases["h2"])
            return tf.matmul(layer_2, weights["out"]) + biases["out"]

        logits = perceptron(x)
        cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=y))
        step = tf.train.get_or_create_global_step()
        train = OPTIMIZERS[optimizer](tf).minimize(cost, global_step=step)
        correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(tf.cast(correct, "float"))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            costs = []
            for start in range(0, 300, 30):
                feed = {x: _IMAGES.reshape(-1, 64)[start : start + 30]}
                feed[y] = _ONE_HOT[start : start + 30]
                costs.append(sess.run([train, cost], feed_dict=feed)[1])
            test = {x: _IMAGES[-200:].reshape(200, 64), y: _ONE_HOT[-200:]}
            return (
                costs,
                accuracy.eval(test),
                tf.train.global_step(sess, step),
                [(v.op.name, v.shape, v.dtype) for v in tf.global_variables()],
                sess.run(biases),
                tf.get_default_graph(),
            )

    assert_same_program(program, rtol=2e-3, atol=2e-4)


def test_convolutional_network() -> None:
    """conv2d, max_pool, dropout by a fed keep_prob, get_variable in scopes."""

    def program(tf: Any) -> Any:
        def weight(name: str, shape: list[int], number: int) -> Any:
            value = np.random.RandomState(number).randn(*shape).astype(np.float32) * 0.2
            return tf.get_variable(name, initializer=tf.constant(value))

        def conv2d(x: Any, w: Any) -> Any:
            return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")

        def max_pool_2x2(x: Any) -> Any:
            return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

        x = tf.placeholder(tf.float32, [None, 8, 8], name="x")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        keep_prob = tf.placeholder_with_default(1.0, [], name="keep_prob")
        image = tf.reshape(x, [-1, 8, 8, 1])
        with tf.variable_scope("conv1"):
            bias = tf.get_variable("b", [4], initializer=tf.constant_initializer(0.1))
            pooled = max_pool_2x2(tf.nn.relu(conv2d(image, weight("w", [3, 3, 1, 4], 0)) + bias))
        with tf.variable_scope("conv2"):
            bias = tf.get_variable("b", [6], initializer=tf.constant_initializer(0.1))
            kernel = weight("w", [3, 3, 4, 6], 1)
            hidden = tf.nn.relu(tf.nn.bias_add(conv2d(pooled, kernel), bias))
            averaged = tf.nn.avg_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        with tf.variable_scope("fc"):
            count = int(np.prod(averaged.get_shape().as_list()[1:]))
            flat = tf.nn.dropout(tf.reshape(averaged, [-1, count]), keep_prob, seed=5)
            logits = tf.matmul(flat, weight("w", [count, 10], 2))
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        train = tf.train.AdamOptimizer(1e-2).minimize(loss)
        hits = tf.nn.in_top_k(logits, labels, 2)
        accuracy = tf.reduce_mean(tf.to_float(hits))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for batch in range(8):
                rows = slice(batch * 32, batch * 32 + 32)
                feed = {x: _IMAGES[rows], labels: _LABELS[rows], keep_prob: 0.75}
                losses.append(sess.run([loss, train], feed)[0])
            top = tf.nn.top_k(logits, 3)
            values, indices = sess.run(top, {x: _IMAGES[:5]})
            return (
                losses,
                sess.run(accuracy, {x: _IMAGES[:50], labels: _LABELS[:50]}),
                values,
                indices,
                averaged.shape,
                tf.get_default_graph(),
            )

    assert_same_program(program, rtol=2e-3, atol=2e-4)


def test_autoencoder() -> None:
    """Encoder and decoder under name scopes; the decoder alone is fed with codes."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(4)
        sizes = [64, 16, 4]
        x = tf.placeholder(tf.float32, [None, 64])
        variables = []
        current = x
        for part, steps in (("encoder", sizes), ("decoder", sizes[::-1])):
            with tf.name_scope(part):
                for number, (rows, columns) in enumerate(itertools.pairwise(steps)):
                    value = (random.randn(rows, columns) * 0.3).astype(np.float32)
                    w = tf.Variable(value, name=f"w{number}")
                    b = tf.Variable(tf.zeros(columns), name=f"b{number}")
                    variables += [w, b]
                    current = tf.nn.sigmoid(tf.matmul(current, w) + b, name=f"layer{number}")
        code = tf.get_default_graph().get_tensor_by_name("encoder/layer1:0")
        cost = tf.reduce_mean(tf.pow(x - current, 2))
        optimizer = tf.train.RMSPropOptimizer(0.02, decay=0.95).minimize(cost, var_list=variables)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            pixels = _IMAGES.reshape(-1, 64)
            costs = [sess.run([optimizer, cost], {x: pixels[:100]})[1] for _ in range(20)]
            codes = sess.run(code, {x: pixels[:3]})
            again = sess.run(current, {code: codes})
            return costs, codes, again, [v.name for v in variables], tf.get_default_graph()

    assert_same_program(program, rtol=1e-3, atol=1e-4)


def test_batch_normalised_network() -> None:
    """Moments and moving averages by hand, updates in UPDATE_OPS before the step."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [20, 64])
        labels = tf.placeholder(tf.int32, [20])
        w = tf.Variable(np.random.RandomState(9).randn(64, 10).astype(np.float32) * 0.1)
        raw = tf.matmul(x, w)
        mean, variance = tf.nn.moments(raw, axes=[0], keep_dims=False)
        moving_mean = tf.Variable(tf.zeros([10]), trainable=False)
        moving_variance = tf.Variable(tf.ones([10]), trainable=False)
        for moving, batch in ((moving_mean, mean), (moving_variance, variance)):
            update = tf.assign_sub(moving, (moving - batch) * (1 - 0.9))
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        scale, offset = tf.Variable(tf.ones([10])), tf.Variable(tf.zeros([10]))
        normal = tf.nn.batch_normalization(raw, mean, variance, offset, scale, 1e-3)
        images = tf.reshape(normal, [20, 1, 1, 10])
        fused, fused_mean, fused_variance = tf.nn.fused_batch_norm(images, scale, offset)
        later = tf.nn.batch_normalization(
            raw, moving_mean, moving_variance, offset, scale, 1e-3, name="inference"
        )
        loss = tf.reduce_sum(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=normal)
        )
        loss += 0.1 * tf.nn.l2_loss(fused)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for batch in range(6):
                rows = slice(batch * 20, batch * 20 + 20)
                feed = {x: _IMAGES[rows].reshape(20, 64), labels: _LABELS[rows]}
                losses.append(sess.run([loss, train], feed)[0])
            moved = sess.run([moving_mean, moving_variance])
            return (
                losses,
                moved,
                sess.run([later, fused_mean, fused_variance], feed),
                tf.get_default_graph(),
            )

    assert_same_program(program, rtol=2e-3, atol=2e-4)


def test_word_embeddings() -> None:
    """Skip-grams with sampled negatives: sparse gradients through embedding_lookup and gather."""

    def program(tf: Any) -> Any:
        text = "the quick brown fox jumped over the lazy dog and the quick cat sat"
        words = sorted(set(text.split()))
        numbers = [words.index(word) for word in text.split()]
        pairs = [
            (numbers[i], numbers[j])
            for i in range(len(numbers))
            for j in (i - 1, i + 1)
            if 0 <= j < len(numbers)
        ]
        random = np.random.RandomState(2)
        start = random.uniform(-1, 1, (len(words), 5)).astype(np.float32)
        inputs = tf.placeholder(tf.int32, shape=[None])
        targets = tf.placeholder(tf.int32, shape=[None, 1])
        negatives = tf.placeholder(tf.int32, shape=[4])
        with tf.device("/cpu:0"):
            embeddings = tf.Variable(start)
            nce_weights = tf.Variable(start[::-1] * 0.5)
            nce_biases = tf.Variable(tf.zeros([len(words)]))
            embed = tf.nn.embedding_lookup(embeddings, inputs)
        true_w = tf.gather(nce_weights, tf.squeeze(targets, [1]))
        true_b = tf.nn.embedding_lookup(nce_biases, targets[:, 0])
        true_logits = tf.reduce_sum(embed * true_w, axis=1) + true_b
        false_w = tf.gather(nce_weights, negatives)
        false_logits = tf.matmul(embed, false_w, transpose_b=True)
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(
                labels=tf.ones_like(true_logits), logits=true_logits
            )
        ) + tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(
                labels=tf.zeros_like(false_logits), logits=false_logits
            )
        )
        optimizer = tf.train.AdagradOptimizer(0.5)
        grads = optimizer.compute_gradients(loss)
        kinds = [type(g).__name__ for g, _ in grads]
        train = optimizer.apply_gradients(grads)
        norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
        normalized = embeddings / norm
        nearest = tf.matmul(normalized, normalized, transpose_b=True)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for step in range(30):
                batch = [pairs[(3 * step + k) % len(pairs)] for k in range(6)]
                feed = {
                    inputs: [a for a, _ in batch],
                    targets: [[b] for _, b in batch],
                    negatives: random.randint(0, len(words), 4),
                }
                losses.append(sess.run([train, loss], feed)[1])
            return kinds, losses, sess.run(nearest), tf.get_default_graph()

    assert_same_program(program, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_sparse_and_dense_training(optimizer: str, use_resource: bool) -> None:
    """A partly used table next to dense weights; rows that are not looked up."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(6)
        with tf.variable_scope("model", use_resource=use_resource):
            table = tf.get_variable("table", initializer=random.rand(7, 3).astype(np.float32))
            dense = tf.get_variable("dense", initializer=random.rand(3, 1).astype(np.float32))
        ids = tf.placeholder(tf.int64, [None])
        values = tf.matmul(tf.nn.embedding_lookup(table, ids), dense)
        loss = tf.reduce_mean(tf.squared_difference(values, 1.5))
        train = OPTIMIZERS[optimizer](tf).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [
                sess.run([loss, train], {ids: [k % 5, (k + 2) % 5, k % 5]})[0] for k in range(12)
            ]
            names = [v.name for v in tf.global_variables()]
            return losses, sess.run([table, dense]), names

    assert_same_program(program, rtol=2e-3, atol=2e-4)
