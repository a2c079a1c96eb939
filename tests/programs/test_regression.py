"""Models fitted by hand-written losses: regressions, factorisation, clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.both import assert_same_program

_RANDOM = np.random.default_rng(11)
_POINTS = _RANDOM.normal(size=(60, 3)).astype(np.float32)
_LINE = (_POINTS @ np.array([[2.0], [-1.0], [0.5]], np.float32) + 0.3).astype(np.float32)


def test_linear_regression_with_feeds() -> None:
    """One point at a time, as the tutorials do it, with the graph's names kept."""

    def program(tf: Any) -> Any:
        train_x = np.asarray([3.3, 4.4, 5.5, 6.71, 6.93, 4.168, 9.779, 6.182, 7.59, 2.167])
        train_y = np.asarray([1.7, 2.76, 2.09, 3.19, 1.694, 1.573, 3.366, 2.596, 2.53, 1.221])
        x = tf.placeholder("float")
        y = tf.placeholder("float")
        weight = tf.Variable(0.4, name="weight")
        bias = tf.Variable(-0.2, name="bias")
        prediction = tf.add(tf.multiply(x, weight), bias)
        cost = tf.reduce_sum(tf.pow(prediction - y, 2)) / (2 * train_x.shape[0])
        optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
        init = tf.global_variables_initializer()
        costs = []
        with tf.Session() as sess:
            sess.run(init)
            for epoch in range(20):
                for one_x, one_y in zip(train_x, train_y, strict=True):
                    sess.run(optimizer, feed_dict={x: one_x, y: one_y})
                if (epoch + 1) % 5 == 0:
                    costs.append(sess.run(cost, feed_dict={x: train_x, y: train_y}))
            return costs, sess.run(weight), bias.eval(), tf.get_default_graph()

    assert_same_program(program)


def test_linear_regression_in_matrix_form() -> None:
    """Placeholders with unknown rows, gradients applied by hand with tf.assign."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, shape=[None, 3], name="x")
        y = tf.placeholder(tf.float32, shape=(None, 1), name="y")
        theta = tf.Variable(tf.zeros([3, 1]), name="theta")
        offset = tf.Variable(tf.constant(0.0, shape=[1]), name="offset")
        with tf.name_scope("loss") as scope:
            error = tf.matmul(x, theta) + offset - y
            mse = tf.reduce_mean(tf.square(error), name="mse")
        gradients = tf.gradients(mse, [theta, offset])
        training = tf.group(
            tf.assign(theta, theta - 0.1 * gradients[0]),
            offset.assign_sub(0.1 * gradients[1]),
            name="training",
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for step in range(30):
                rows = slice(step % 3 * 20, step % 3 * 20 + 20)
                feed = {x: _POINTS[rows], y: _LINE[rows]}
                loss, nothing = sess.run([mse, training], feed)
                losses.append(loss)
            return scope, losses, nothing, sess.run([theta, offset]), mse.name, sess.graph

    assert_same_program(program)


def test_logistic_regression() -> None:
    """Labels one-hot or as numbers, accuracy from argmax and equal."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(0)
        data = random.randn(90, 4).astype(np.float32)
        classes = np.argmax(data[:, :3] + 0.1 * random.randn(90, 3), 1)
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.zeros([4, 3]))
        b = tf.Variable(tf.zeros([3]))
        logits = tf.matmul(x, w) + b
        pred = tf.nn.softmax(logits)
        by_hand = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
        fused = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
        sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.argmax(y, 1), logits=logits
        )
        train = tf.train.GradientDescentOptimizer(0.5).minimize(by_hand)
        correct = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        one_hot = tf.one_hot(classes, depth=3)
        with tf.Session() as sess:
            tf.global_variables_initializer().run()
            labels = sess.run(one_hot)
            trace = []
            for _ in range(25):
                _, cost = sess.run([train, by_hand], feed_dict={x: data, y: labels})
                trace.append(cost)
            everything = {x: data, y: labels}
            return (
                trace,
                accuracy.eval(everything),
                sess.run({"hand": by_hand, "fused": fused, "sparse": sparse}, everything),
                tf.get_default_graph(),
            )

    assert_same_program(program)


def test_perceptron_with_sigmoid_cross_entropy() -> None:
    """XOR with a hidden layer; the loss is weighted; bools as labels."""

    def program(tf: Any) -> Any:
        xs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
        ys = np.logical_xor(xs[:, :1], xs[:, 1:])
        x = tf.constant(xs, name="x")
        y = tf.cast(tf.constant(ys), tf.float64)
        w1 = tf.Variable(np.array([[0.8, -0.6, 0.3], [-0.5, 0.9, 0.2]]))
        b1 = tf.Variable(np.zeros(3))
        w2 = tf.Variable(tf.constant([[0.7], [0.6], [-0.4]], dtype=tf.float64))
        hidden = tf.sigmoid(tf.nn.xw_plus_b(x, w1, b1))
        logits = tf.matmul(hidden, w2) - 0.1
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
        weighted = tf.reduce_sum(tf.nn.weighted_cross_entropy_with_logits(y, logits, 2.0))
        step = tf.train.MomentumOptimizer(1.0, 0.9).minimize(loss + 0.01 * weighted)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, step])[0] for _ in range(40)]
            return losses, sess.run(tf.round(tf.sigmoid(logits))), tf.get_default_graph()

    assert_same_program(program)


def test_ridge_regression() -> None:
    """Conjugate gradients on the normal equations, with nothing but products and sums."""

    def program(tf: Any) -> Any:
        a = tf.constant(np.c_[np.ones(len(_POINTS)), _POINTS], tf.float64)
        target = tf.constant(_LINE, tf.float64)
        normal = tf.matmul(a, a, transpose_a=True) + 0.1 * tf.eye(4, dtype=tf.float64)
        right = tf.matmul(tf.transpose(a), target)
        solution = tf.zeros_like(right)
        residual = direction = right
        for _ in range(4):
            along = tf.matmul(normal, direction)
            squared = tf.reduce_sum(residual**2)
            alpha = squared / tf.reduce_sum(direction * along)
            solution += alpha * direction
            residual -= alpha * along
            direction = residual + tf.reduce_sum(residual * residual) / squared * direction
        with tf.Session() as sess:
            weights = sess.run(solution)
            left = np.abs(sess.run(tf.matmul(normal, solution) - right)).max() < 1e-8
            return weights, bool(left), solution.shape, tf.get_default_graph()

    assert_same_program(program)


def test_matrix_factorisation() -> None:
    """Observed entries by gather_nd and boolean_mask; L2 from a collection of losses."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(3)
        ratings = random.randint(1, 6, (5, 7)).astype(np.float32)
        seen = np.argwhere(random.rand(5, 7) < 0.6).astype(np.int32)
        users = tf.get_variable("users", initializer=random.rand(5, 2).astype(np.float32))
        items = tf.get_variable("items", initializer=random.rand(2, 7).astype(np.float32))
        product = tf.matmul(users, items)
        error = tf.gather_nd(product, seen) - ratings[tuple(seen.T)]
        mask = np.zeros((5, 7), bool)
        mask[tuple(seen.T)] = True
        unseen = tf.boolean_mask(product, ~mask)
        for each in tf.trainable_variables():
            penalty = 0.02 * tf.reduce_sum(tf.square(each))
            tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, penalty)
        penalties = tf.add_n(tf.get_collection("regularization_losses"))
        loss = tf.reduce_mean(tf.squared_difference(error, 0.0)) + penalties
        train = tf.train.AdagradOptimizer(0.5).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for _ in range(30):
                losses.append(sess.run(loss))
                sess.run(train)
            return losses, sess.run(unseen), tf.get_default_graph()

    assert_same_program(program)


@pytest.mark.parametrize("by_segments", [False, True])
def test_k_means(by_segments: bool) -> None:
    """Assignments kept in a variable; centres by unsorted segments or by partitions."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(8)
        data = np.concatenate([random.randn(20, 2) + c for c in ((0, 0), (5, 5), (0, 6))])
        points = tf.Variable(data.astype(np.float32), trainable=False)
        clusters = tf.Variable(tf.zeros([60], dtype=tf.int64))
        centres = tf.Variable(tf.slice(points.initialized_value(), [19, 0], [3, 2]))
        repeated = tf.reshape(tf.tile(centres, [60, 1]), [60, 3, 2])
        copies = tf.reshape(tf.tile(points, [1, 3]), [60, 3, 2])
        distances = tf.reduce_sum(tf.square(copies - repeated), reduction_indices=2)
        best = tf.argmin(distances, 1)
        changed = tf.reduce_any(tf.not_equal(best, clusters))
        if by_segments:
            total = tf.unsorted_segment_sum(points, best, 3)
            count = tf.unsorted_segment_sum(tf.ones_like(points), best, 3)
            means = total / count
        else:
            parts = tf.dynamic_partition(points, tf.to_int32(best), 3)
            means = tf.concat([tf.expand_dims(tf.reduce_mean(p, 0), 0) for p in parts], 0)
        with tf.control_dependencies([changed]):
            update = tf.group(centres.assign(means), clusters.assign(best))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            rounds, moving = 0, True
            while moving and rounds < 50:
                rounds += 1
                moving, _ = sess.run([changed, update])
            return rounds, sess.run([centres, clusters])

    assert_same_program(program)


def test_polynomial_features_and_early_stopping() -> None:
    """Python decides when to stop; stacked powers; reuse of one feed dictionary."""

    def program(tf: Any) -> Any:
        x = np.linspace(-1, 1, 40).astype(np.float32)
        noise = np.sin(np.arange(40)).astype(np.float32) * 0.05
        inputs = tf.placeholder(tf.float32, (40,))
        powers = tf.stack([inputs**k for k in range(1, 5)], axis=1)
        coefficients = tf.get_variable(
            "coefficients", [4], initializer=tf.constant_initializer(0.1)
        )
        bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
        fitted = tf.tensordot(powers, coefficients, [[1], [0]]) + bias
        target = tf.placeholder(tf.float32, 40, name="target")
        loss = tf.reduce_mean(tf.abs(fitted - target)) + tf.nn.l2_loss(coefficients) * 1e-3
        rate = tf.placeholder_with_default(0.1, shape=[], name="rate")
        train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
        feed = {inputs: x, target: 1 - 2 * x + 3 * x**3 + noise}
        with tf.Session() as sess:
            sess.run(tf.initialize_all_variables())
            history = [sess.run(loss, feed)]
            while len(history) < 60:
                feed[rate] = 0.2 / len(history)
                sess.run(train, feed)
                now = sess.run(loss, feed)
                if now > history[-1]:
                    break
                history.append(now)
            return history, coefficients.eval(), bias.eval(session=sess), tf.get_default_graph()

    assert_same_program(program)
