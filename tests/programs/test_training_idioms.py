"""What training code adds to an optimizer: decay, averages, clipping, towers, own gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.both import assert_same_program

_RANDOM = np.random.default_rng(21)
_X = _RANDOM.normal(size=(48, 5)).astype(np.float32)
_Y = np.tanh(_X @ _RANDOM.normal(size=(5, 2))).astype(np.float32)


def test_moving_averages_and_decayed_rate() -> None:
    """The MNIST tutorial's shape: staircase decay, averages after the step, restore names."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 5], name="x-input")
        y_ = tf.placeholder(tf.float32, [None, 2], name="y-input")
        start = np.linspace(-0.5, 0.5, 10).reshape(5, 2).astype(np.float32)
        weights = tf.get_variable("weights", initializer=start)
        biases = tf.get_variable("biases", shape=[2], initializer=tf.constant_initializer(0.1))
        global_step = tf.Variable(0, trainable=False, name="step")
        averages = tf.train.ExponentialMovingAverage(0.9, global_step)
        y = tf.matmul(x, weights) + biases
        loss = tf.reduce_mean(tf.square(y - y_))
        rate = tf.train.exponential_decay(0.3, global_step, 4, 0.7, staircase=True)
        train_step = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
        with tf.control_dependencies([train_step]):
            averages_op = averages.apply(tf.trainable_variables())
        average_y = tf.matmul(x, averages.average(weights)) + averages.average(biases)
        with tf.control_dependencies([train_step, averages_op]):
            train_op = tf.no_op(name="train")
        average_loss = tf.train.ExponentialMovingAverage(0.5, zero_debias=True, name="debiased")
        track = average_loss.apply([loss])
        out = []
        with tf.Session() as sess:
            tf.global_variables_initializer().run()
            for i in range(12):
                rows = slice(i % 4 * 12, i % 4 * 12 + 12)
                feed = {x: _X[rows], y_: _Y[rows]}
                sess.run([train_op, track], feed)
                out.append(sess.run([loss, rate, average_loss.average(loss)], feed))
            everything = {x: _X, y_: _Y}
            return (
                out,
                sess.run([y, average_y, global_step], everything),
                averages.average_name(weights),
                sorted(averages.variables_to_restore()),
                [v.name for v in tf.moving_average_variables()],
                [v.name for v in tf.global_variables()],
                [
                    op.name
                    for op in tf.get_default_graph().get_operations()
                    if "cond" not in op.name and "nitialized" not in op.name
                ],
            )

    assert_same_program(program)


def test_every_decay() -> None:
    """The decays over steps fed to the graph."""

    def program(tf: Any) -> Any:
        step = tf.placeholder(tf.int32, [])
        decays = {
            "exponential": tf.train.exponential_decay(0.1, step, 10, 0.9),
            "pieces": tf.train.piecewise_constant(step, [5, 11], [1.0, 0.5, 0.1]),
            "polynomial": tf.train.polynomial_decay(0.1, step, 10, 0.01, power=0.5),
            "cycle": tf.train.polynomial_decay(0.1, step, 10, cycle=True),
            "natural": tf.train.natural_exp_decay(0.1, step, 5, 0.5, True),
            "inverse": tf.train.inverse_time_decay(0.1, step, 5, 0.5),
            "cosine": tf.train.cosine_decay(0.1, step, 10),
            "restarts": tf.train.cosine_decay_restarts(0.1, step, 5),
            "linear_cosine": tf.train.linear_cosine_decay(0.1, step, 10),
        }
        with tf.Session() as sess:
            values = [sess.run(decays, {step: s}) for s in (0, 1, 5, 6, 10, 11, 25)]
        names = [decay.name for key, decay in decays.items() if key != "pieces"]
        return values, names

    assert_same_program(program)


def test_clipped_gradients() -> None:
    """compute_gradients, clipping in every way, apply_gradients; an unused variable stays."""

    def program(tf: Any) -> Any:
        w = tf.Variable(_X[:5, :2], name="w")
        unused = tf.Variable([1.0, 2.0], name="unused")
        x, y = tf.constant(_X), tf.constant(_Y)
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) - y))
        optimizer = tf.train.AdamOptimizer(learning_rate=0.05, epsilon=0.1)
        pairs = optimizer.compute_gradients(loss)
        kept = [(g is None, v.name) for g, v in pairs]
        capped = [(tf.clip_by_value(g, -5.0, 5.0), v) for g, v in pairs if g is not None]
        train = optimizer.apply_gradients(capped, name="capped_step")
        grads = [g for g, _ in pairs if g is not None]
        clipped, norm = tf.clip_by_global_norm([*grads, None, 0.1 * grads[0]], 4.0)
        ways = {
            "norm": tf.clip_by_norm(grads[0], 2.0),
            "axes": tf.clip_by_norm(grads[0], 2.0, axes=[1]),
            "average": tf.clip_by_average_norm(grads[0], 0.5),
            "global": [c for c in clipped if c is not None],
            "the_norm": norm,
            "other": tf.global_norm(grads),
        }
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, train])[0] for _ in range(10)]
            slots = sess.run([optimizer.get_slot(w, n) for n in optimizer.get_slot_names()])
            return (
                kept,
                losses,
                sess.run(ways),
                slots,
                optimizer.get_slot_names(),
                optimizer.get_slot(unused, "m"),
                [v.name for v in optimizer.variables()],
                sess.run(unused),
                tf.get_default_graph(),
            )

    assert_same_program(program)


@pytest.mark.parametrize("towers", [2, 3])
def test_towers_on_several_devices(towers: int, target: str) -> None:
    """Variables shared by scope reuse, a tower a device, gradients averaged on the first."""

    def program(tf: Any) -> Any:
        def average_gradients(tower_grads: Any) -> Any:
            average_grads = []
            for grad_and_vars in zip(*tower_grads, strict=True):
                grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
                grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
                average_grads.append((grad, grad_and_vars[0][1]))
            return average_grads

        with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
            step = tf.get_variable(
                "global_step", [], initializer=tf.constant_initializer(0), trainable=False
            )
            optimizer = tf.train.GradientDescentOptimizer(0.2)
            xs = tf.split(tf.constant(_X), towers)
            ys = tf.split(tf.constant(_Y), towers)
            tower_grads = []
            with tf.variable_scope(tf.get_variable_scope()):
                for i in range(towers):
                    with (
                        tf.device(f"/device:CPU:{i}"),
                        tf.name_scope(f"tower_{i}") as scope,
                    ):
                        w = tf.get_variable("w", initializer=tf.constant(_X[:5, :2] * 0.1))
                        b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
                        error = tf.nn.xw_plus_b(xs[i], w, b) - ys[i]
                        loss = tf.reduce_mean(tf.square(error), name="loss")
                        tf.add_to_collection("losses", loss)
                        tf.get_variable_scope().reuse_variables()
                        inside = tf.get_collection("losses", scope)
                        tower_grads.append(optimizer.compute_gradients(loss))
            train = optimizer.apply_gradients(average_gradients(tower_grads), global_step=step)
            total = tf.add_n(tf.get_collection("losses"))
            init = tf.global_variables_initializer()
        config = tf.ConfigProto(device_count={"CPU": towers}, allow_soft_placement=True)
        with tf.Session(graph=graph, config=config) as sess:
            sess.run(init)
            losses = [sess.run([total, train])[0] for _ in range(10)]
            return losses, sess.run(step), sess.run([w, b]), len(inside), graph

    assert_same_program(program, target=target)


def test_own_gradients() -> None:
    """custom_gradient, registered gradients in place of others, stop_gradient, second gradients."""

    def program(tf: Any) -> Any:
        name = f"Straight{tf.__name__.split('.')[0]}"

        @tf.RegisterGradient(name)
        def _straight(op: Any, grad: Any) -> Any:
            return grad * tf.cast(tf.abs(op.inputs[0]) <= 1, tf.float32)

        @tf.custom_gradient
        def log1pexp(x: Any) -> Any:
            e = tf.exp(x)

            def grad(dy: Any) -> Any:
                return dy * (1 - 1 / (1 + e))

            return tf.log(1 + e), grad

        x = tf.placeholder(tf.float32, [5], name="x")
        graph = tf.get_default_graph()
        with graph.gradient_override_map({"Sign": name}):
            binary = tf.sign(x)
        plain = tf.sign(x)
        soft = log1pexp(x)
        stopped = x + tf.stop_gradient(tf.sigmoid(x) - x)
        cubed = x**3
        first = tf.gradients(cubed, x, name="first")[0]
        second = tf.gradients(first, [x], grad_ys=[2.0 * tf.ones_like(x)])[0]
        fetches = {
            "binary": tf.gradients(binary, x)[0],
            "plain": tf.gradients(plain, x)[0],
            "soft": tf.gradients(soft, x),
            "stopped": tf.gradients(tf.square(stopped), x),
            "second": second,
            "two": tf.gradients([cubed, soft], [x, cubed], stop_gradients=[soft]),
            "hessian": tf.hessians(tf.reduce_sum(cubed) * x[0], x)[0],
        }
        nothing = tf.gradients(tf.constant(1.0), x)
        zeros = tf.gradients(
            tf.constant(1.0), x, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        with tf.Session() as sess:
            feed = {x: [-2.0, -0.5, 0.25, 1.0, 3.0]}
            return sess.run(fetches, feed), nothing, sess.run(zeros, feed)

    assert_same_program(program)


def test_alternating_optimizers_over_scopes() -> None:
    """Two players, each with its own variables by scope, its own optimizer, and weight limits."""

    def program(tf: Any) -> Any:
        def dense(name: str, x: Any, columns: int, activation: Any = None) -> Any:
            with tf.variable_scope(name):
                rows = x.get_shape()[-1].value
                ramp = np.linspace(-1, 1, rows * columns).reshape(rows, columns)
                w = tf.get_variable("w", [rows, columns], initializer=tf.constant_initializer(ramp))
                b = tf.get_variable("b", [columns], initializer=tf.zeros_initializer())
            y = tf.matmul(x, w) + b
            return y if activation is None else activation(y)

        def generator(z: Any) -> Any:
            with tf.variable_scope("generator"):
                return dense("out", dense("hidden", z, 4, tf.nn.leaky_relu), 2)

        def critic(x: Any, reuse: bool = False) -> Any:
            with tf.variable_scope("critic", reuse=reuse):
                return dense("out", dense("hidden", x, 4, tf.nn.elu), 1)

        z = tf.placeholder(tf.float32, [None, 3])
        real = tf.placeholder(tf.float32, [None, 2])
        fake = generator(z)
        d_loss = tf.reduce_mean(critic(fake, reuse=tf.AUTO_REUSE)) - tf.reduce_mean(
            critic(real, reuse=True)
        )
        g_loss = -tf.reduce_mean(critic(fake, True))
        d_vars = tf.trainable_variables("critic")
        g_vars = [v for v in tf.trainable_variables() if v.name.startswith("generator")]
        same = d_vars == tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="critic/")
        d_step = tf.train.RMSPropOptimizer(5e-2).minimize(d_loss, var_list=d_vars)
        g_step = tf.train.AdamOptimizer(1e-2, beta1=0.5).minimize(g_loss, var_list=g_vars)
        with tf.control_dependencies([d_step]):
            limit = [v.assign(tf.clip_by_value(v, -0.8, 0.8)) for v in d_vars]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            history = []
            for i in range(8):
                feed = {z: _X[i * 6 : i * 6 + 6, :3], real: _Y[i * 6 : i * 6 + 6]}
                _, d = sess.run([limit, d_loss], feed)
                _, g = sess.run([g_step, g_loss], feed_dict=feed)
                history.append((d, g))
            return same, history, [v.name for v in d_vars + g_vars], tf.get_default_graph()

    assert_same_program(program, rtol=1e-3, atol=1e-4)
