"""Programs of tutorials and textbooks that are no plain supervised training."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_mandelbrot(target: str) -> None:
    """Complex variables stepped by a group; comparisons decide who diverged."""

    def program(tf: Any) -> Any:
        y, x = np.mgrid[-1.3:1.3:0.1, -2:1:0.1]
        z = x + 1j * y
        sess = tf.InteractiveSession()
        xs = tf.constant(z.astype(np.complex64))
        zs = tf.Variable(xs)
        ns = tf.Variable(tf.zeros_like(xs, tf.float32))
        tf.global_variables_initializer().run()
        zs_ = zs * zs + xs
        not_diverged = tf.abs(zs_) < 4
        with tf.control_dependencies([zs_, not_diverged]):
            step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
        for _ in range(15):
            step.run()
        result = ns.eval()
        sess.close()
        return result, tf.get_default_graph()

    assert_same_program(program, target=target)


def test_rain_on_a_pond() -> None:
    """The wave equation with a Laplacian by depthwise convolution; eps and damping are fed."""

    def program(tf: Any) -> Any:
        def make_kernel(a: Any) -> Any:
            a = np.asarray(a)
            return tf.constant(a.reshape([*a.shape, 1, 1]), dtype=1)

        def simple_conv(x: Any, k: Any) -> Any:
            x = tf.expand_dims(tf.expand_dims(x, 0), -1)
            y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding="SAME")
            return y[0, :, :, 0]

        def laplace(x: Any) -> Any:
            return simple_conv(x, make_kernel([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]]))

        u_init = np.zeros([20, 20], dtype=np.float32)
        for k, (a, b) in enumerate(np.random.RandomState(0).randint(0, 20, (8, 2))):
            u_init[a, b] = (k + 1) / 8
        eps = tf.placeholder(tf.float32, shape=())
        damping = tf.placeholder(tf.float32, shape=())
        u = tf.Variable(u_init)
        ut = tf.Variable(np.zeros_like(u_init))
        u_ = u + eps * ut
        ut_ = ut + eps * (laplace(u) - damping * ut)
        with tf.control_dependencies([u_, ut_]):
            step = tf.group(u.assign(u_), ut.assign(ut_))
        with tf.Session():
            tf.initialize_all_variables().run()
            for _ in range(20):
                step.run({eps: 0.03, damping: 0.04})
            return u.eval(), tf.get_default_graph()

    assert_same_program(program)


def test_recurrent_cell_unrolled_by_hand(target: str) -> None:
    """An LSTM over a fixed number of steps, its weights shared by scope reuse."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(5)
        data = random.randn(6, 4, 3).astype(np.float32)
        wanted = (data.sum(axis=(1, 2), keepdims=False) > 0).astype(np.int32)

        def cell(x: Any, state: Any, units: int) -> Any:
            c, h = state
            with tf.variable_scope("lstm_cell"):
                start = tf.random_uniform_initializer(-0.5, 0.5, seed=2)
                kernel = tf.get_variable("kernel", [3 + units, 4 * units], initializer=start)
                bias = tf.get_variable("bias", 4 * units, initializer=tf.zeros_initializer)
            gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias)
            i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            return c, tf.tanh(c) * tf.sigmoid(o)

        x = tf.placeholder(tf.float32, [None, 4, 3])
        labels = tf.placeholder(tf.int32, [None])
        state = (tf.zeros([tf.shape(x)[0], 5]),) * 2
        with tf.variable_scope("rnn") as scope:
            for t, step in enumerate(tf.unstack(x, axis=1)):
                if t > 0:
                    scope.reuse_variables()
                state = cell(step, state, 5)
        weights = tf.Variable(tf.truncated_normal([5, 2], seed=3), name="out")
        logits = tf.matmul(state[1], weights)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        variables = tf.trainable_variables()
        grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
        train = tf.train.AdamOptimizer(0.05).apply_gradients(zip(grads, variables, strict=True))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {x: data, labels: wanted}
            history = [sess.run([loss, norm, train], feed)[:2] for _ in range(15)]
            return history, sess.run(state, feed), state[0].shape, tf.get_default_graph()

    assert_same_program(program, target=target, rtol=1e-3, atol=1e-4)


def test_variational_autoencoder() -> None:
    """Seeded noise in the middle of the graph; gradients pass by it; samples from fed codes."""

    def program(tf: Any) -> Any:
        tf.set_random_seed(7)
        data = np.random.RandomState(1).rand(16, 8).astype(np.float32)

        def dense(x: Any, rows: int, columns: int, name: str) -> Any:
            with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
                w = tf.get_variable("w", [rows, columns])
                b = tf.get_variable("b", [columns], initializer=tf.constant_initializer(0.0))
            return tf.matmul(x, w) + b

        x = tf.placeholder(tf.float32, [None, 8], name="x")
        hidden = tf.nn.relu(dense(x, 8, 6, "hidden"))
        mean, log_variance = dense(hidden, 6, 2, "mean"), dense(hidden, 6, 2, "log_variance")
        noise = tf.random_normal(tf.shape(mean), seed=4)
        code = mean + tf.exp(0.5 * log_variance) * noise

        def decode(z: Any) -> Any:
            return dense(tf.nn.softplus(dense(z, 2, 6, "up")), 6, 8, "logits")

        logits = decode(code)
        entropy = tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=x)
        divergence = -0.5 * tf.reduce_sum(
            1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=1
        )
        loss = tf.reduce_mean(tf.reduce_sum(entropy, 1) + divergence)
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        fixed = tf.constant([[0.0, 1.0], [-1.0, 0.5]])
        samples = tf.nn.sigmoid(decode(fixed))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, train], {x: data})[0] for _ in range(12)]
            return losses, sess.run(samples), len(tf.trainable_variables()), tf.get_default_graph()

    assert_same_program(program, rtol=1e-3, atol=1e-4)


def test_q_learning_with_a_target_network(target: str) -> None:
    """Two copies of a network, copied by assigns; actions by one_hot or gather_nd; Huber loss."""

    def program(tf: Any) -> Any:
        random = np.random.RandomState(3)
        states = random.rand(10, 4).astype(np.float32)
        actions = random.randint(0, 3, 10)
        rewards = random.rand(10).astype(np.float32)
        done = random.rand(10) < 0.3

        def network(s: Any, scope: str, collections: list[str]) -> Any:
            collections = [*collections, tf.GraphKeys.GLOBAL_VARIABLES]
            with tf.variable_scope(scope):
                start = tf.random_normal_initializer(0.0, 0.3, seed=1)
                w = tf.get_variable("w", [4, 5], initializer=start, collections=collections)
                v = tf.get_variable("v", [5, 3], initializer=start, collections=collections)
                return tf.matmul(tf.nn.relu(tf.matmul(s, w)), v)

        s = tf.placeholder(tf.float32, [None, 4], name="s")
        s_ = tf.placeholder(tf.float32, [None, 4], name="s_")
        a = tf.placeholder(tf.int32, [None])
        r = tf.placeholder(tf.float32, [None])
        over = tf.placeholder(tf.bool, [None])
        q = network(s, "eval", ["eval_params"])
        later = network(s_, "target", ["target_params"])
        future = tf.where(over, tf.zeros_like(r), 0.9 * tf.reduce_max(later, axis=1))
        target = tf.stop_gradient(r + future)
        taken = tf.reduce_sum(q * tf.one_hot(a, 3), axis=1)
        pairs = tf.stack([tf.range(tf.shape(a)[0], dtype=tf.int32), a], axis=1)
        same = tf.reduce_all(tf.equal(taken, tf.gather_nd(params=q, indices=pairs)))
        error = tf.abs(target - taken)
        huber = tf.where(error < 0.5, 0.5 * tf.square(error), 0.5 * (error - 0.25))
        loss = tf.reduce_mean(huber)
        params = tf.get_collection("eval_params")
        train = tf.train.RMSPropOptimizer(0.02).minimize(loss, var_list=params)
        copies = [
            tf.assign(t, e) for t, e in zip(tf.get_collection("target_params"), params, strict=True)
        ]
        soft = [
            t.assign(0.9 * t + 0.1 * e)
            for t, e in zip(tf.get_collection("target_params"), params, strict=True)
        ]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {s: states, s_: states[::-1], a: actions, r: rewards, over: done}
            out = []
            for step in range(10):
                if step % 4 == 0:
                    sess.run(copies)
                sess.run(soft)
                out.append(sess.run([train, loss, same], feed)[1:])
            return out, sess.run(tf.argmax(q, 1), feed), tf.get_default_graph()

    assert_same_program(program, target=target, rtol=1e-3, atol=1e-4)


def test_policy_gradient() -> None:
    """Log probabilities of drawn actions; rewards weigh them; entropy is added."""

    def program(tf: Any) -> Any:
        tf.set_random_seed(11)
        observations = np.random.RandomState(2).randn(12, 3).astype(np.float32)
        obs = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 4], initializer=tf.zeros_initializer())
        logits = tf.matmul(obs, w)
        draw = tf.squeeze(tf.multinomial(logits, 1), 1)
        acts = tf.placeholder(tf.int64, [None])
        advantage = tf.placeholder(tf.float32, [None])
        log_probability = tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(acts, 4), axis=1)
        probabilities = tf.nn.softmax(logits)
        entropy = -tf.reduce_mean(tf.reduce_sum(probabilities * tf.log(probabilities), 1))
        loss = -tf.reduce_mean(log_probability * advantage) - 0.01 * entropy
        train = tf.train.AdagradOptimizer(0.5).minimize(loss)
        out = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(8):
                drawn = sess.run(draw, {obs: observations})
                gained = (drawn == 2).astype(np.float32) - 0.25
                feed = {obs: observations, acts: drawn, advantage: gained}
                out.append((drawn, sess.run([loss, entropy, train], feed)[:2]))
            return out, w.eval(), tf.get_default_graph()

    assert_same_program(program, rtol=1e-3, atol=1e-4)


def test_newton_and_gradient_ascent_on_inputs() -> None:
    """Hessians in Newton's method; inputs changed to please a network; Gram matrices."""

    def program(tf: Any) -> Any:
        theta = tf.Variable([3.0, -2.0], dtype=tf.float64, name="theta")
        f = tf.reduce_sum(theta**4) + tf.square(theta[0] * theta[1] - 1.0)
        gradient = tf.gradients(f, theta)[0]
        hessian = tf.hessians(f, theta)[0]
        (a, b), (c, d) = (tf.unstack(row) for row in tf.unstack(hessian))
        inverse = tf.stack([tf.stack([d, -b]), tf.stack([-c, a])]) / (a * d - b * c)
        newton = theta.assign_sub(tf.squeeze(tf.matmul(inverse, tf.expand_dims(gradient, 1)), 1))

        image = tf.Variable(np.linspace(0, 1, 64).reshape(1, 8, 8, 1), dtype=tf.float32)
        kernel = tf.constant(np.random.RandomState(0).randn(3, 3, 1, 4), tf.float32)
        features = tf.nn.relu(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "VALID"))
        flat = tf.reshape(features, [-1, 4])
        gram = tf.matmul(flat, flat, transpose_a=True) / tf.cast(tf.size(flat), tf.float32)
        score = tf.reduce_mean(features[..., 1]) - 0.1 * tf.reduce_sum(tf.square(gram))
        ascent = tf.gradients(score, image)[0]
        ascent /= tf.maximum(tf.sqrt(tf.reduce_mean(tf.square(ascent))), 1e-7)
        up = image.assign(tf.clip_by_value(image + 0.05 * ascent, 0.0, 1.0))
        out = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(6):
                out.append(sess.run([f, gradient, score]))
                sess.run([newton.op, up.op])
            return out, sess.run([theta, hessian, gram])

    assert_same_program(program, rtol=1e-3, atol=1e-4)
