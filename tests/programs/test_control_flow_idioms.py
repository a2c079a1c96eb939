"""What programs do around loops and conditionals: updates, halting, errors, functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_batch_norm_with_averages_in_a_conditional(target: str) -> None:
    """Training updates the moving averages inside the branch; inference reads them."""

    def program(tf: Any) -> Any:
        rng = np.random.RandomState(0)
        x = tf.placeholder(tf.float32, [None, 6, 6, 3])
        training = tf.placeholder(tf.bool, [])
        start = tf.truncated_normal_initializer(stddev=0.1, seed=1)
        kernel = tf.get_variable("kernel", [3, 3, 3, 4], initializer=start)
        with tf.variable_scope("norm"):
            beta, gamma = (tf.Variable(v * tf.ones([4])) for v in (0.0, 1.0))
            hidden = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME")
            mean, variance = tf.nn.moments(hidden, [0, 1, 2])
            average = tf.train.ExponentialMovingAverage(decay=0.5)

            def updated() -> Any:
                with tf.control_dependencies([average.apply([mean, variance])]):
                    return tf.identity(mean), tf.identity(variance)

            def kept() -> Any:
                return average.average(mean), average.average(variance)

            m, v = tf.cond(training, updated, kept)
            y = tf.nn.batch_normalization(hidden, m, v, beta, gamma, 1e-3)
        loss = tf.reduce_mean(tf.reduce_sum(tf.nn.relu(y), [1, 2, 3]))
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        found = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                batch = rng.randn(4, 6, 6, 3)
                found.append(sess.run([loss, train], {x: batch, training: True}))
                found.append(sess.run(loss, {x: batch, training: False}))
            return found, sess.run(tf.global_variables()), tf.get_default_graph()

    assert_same_program(program, target=target)


def test_adaptive_computation_time() -> None:
    """Each row halts when it likes; the loop ends with the last of them."""

    def program(tf: Any) -> Any:
        rng = np.random.RandomState(0)
        x = tf.constant(rng.randn(4, 3), tf.float32)
        weights = tf.get_variable("weights", initializer=rng.randn(3, 3).astype("f") * 0.5)
        halter = tf.get_variable("halter", initializer=rng.randn(3, 1).astype("f"))

        def goes_on(state: Any, halted: Any, rest: Any, count: Any, total: Any) -> Any:
            return tf.reduce_any(tf.less(halted, 0.99) & tf.less(count, 6.0))

        def body(state: Any, halted: Any, rest: Any, count: Any, total: Any) -> Any:
            state = tf.tanh(tf.matmul(state, weights))
            p = tf.squeeze(tf.sigmoid(tf.matmul(state, halter)), 1)
            runs = tf.cast(halted < 0.99, tf.float32)
            stops = tf.to_float(halted + p * runs > 0.99) * runs
            stays = tf.to_float(halted + p * runs <= 0.99) * runs
            halted = halted + p * stays
            rest = rest + stops * (1 - halted)
            share = tf.expand_dims(p * stays + stops * rest, -1)
            return state, halted + stops * rest, rest, count + stays + stops, total + share * state

        zeros = tf.zeros([4])
        loop = (x, zeros, zeros, zeros, tf.zeros_like(x))
        _, _, rest, count, total = tf.while_loop(goes_on, body, loop)
        loss = tf.reduce_sum(total**2) + 0.01 * tf.reduce_mean(count + rest)
        pairs = tf.train.AdamOptimizer().compute_gradients(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run([loss, count, total, pairs]), tf.get_default_graph()

    assert_same_program(program)


def test_errors_inside_loops_and_branches() -> None:
    """A step that fails in a body names the node; the next one runs."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None], name="x")
        k = tf.placeholder(tf.int32, [], name="k")

        def guarded(i: Any) -> Any:
            with tf.control_dependencies([tf.Assert(i < k, ["too far", i, k], name="check")]):
                return i + 1

        loop = tf.while_loop(lambda i: i < 5, guarded, [0])
        checked = tf.cond(k > 0, lambda: tf.check_numerics(x, "boom", name="cn"), lambda: x)
        mapped = tf.map_fn(lambda v: tf.reshape(x, [k]), x)
        exclusive = tf.case(
            {k < 5: lambda: tf.constant(1), k > 3: lambda: tf.constant(2)},
            default=lambda: tf.constant(3),
            exclusive=True,
        )
        runs = [
            (loop, {k: 3}),
            (loop, {k: 9}),
            (checked, {k: 1, x: [np.inf]}),
            (checked, {k: 0, x: [np.inf]}),
            (mapped, {k: 7, x: [1.0]}),
            (mapped, {k: 1, x: [1.0]}),
            (exclusive, {k: 4}),
            (exclusive, {k: 0}),
        ]
        found = []
        with tf.Session() as sess:
            for fetch, feeds in runs:
                try:
                    found.append(sess.run(fetch, feeds))
                except tf.errors.OpError as e:
                    found.append(e)
        return found, tf.get_default_graph()

    assert_same_program(program)


def test_functions_given_to_operations() -> None:
    """`Defun` objects as the bodies of `raw_ops.While`, `If`, `Case` and a call."""

    def program(tf: Any) -> Any:
        if hasattr(tf, "Defun"):
            Defun = tf.Defun
        else:
            from tensorflow.python.framework.function import Defun

        @Defun(tf.int32, tf.float32)
        def goes_on(i: Any, x: Any) -> Any:
            return i < 5

        @Defun(tf.int32, tf.float32)
        def body(i: Any, x: Any) -> Any:
            return i + 1, x * 1.5

        @Defun(tf.float32)
        def up(x: Any) -> Any:
            return x + 1.0

        @Defun(tf.float32)
        def down(x: Any) -> Any:
            return x - 1.0

        x, p = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])
        kinds = [tf.float32]
        fetches = [
            tf.raw_ops.While(input=[tf.constant(0), x], cond=goes_on, body=body),
            tf.raw_ops.If(cond=p, input=[x], Tout=kinds, then_branch=up, else_branch=down),
            tf.raw_ops.Case(
                branch_index=tf.cast(x, tf.int32), input=[x], Tout=kinds, branches=[up, down]
            ),
            tf.raw_ops.StatefulPartitionedCall(args=[x], Tout=kinds, f=up),
        ]
        try:
            tf.raw_ops.If(cond=p, input=[x], Tout=kinds, then_branch=up, else_branch=3)
        except TypeError as e:
            refused = e
        with tf.Session() as sess:
            runs = [sess.run(fetches, {x: 1.0, p: v}) for v in (True, False)]
        return runs, refused, tf.get_default_graph()

    assert_same_program(program)


def test_variables_that_start_from_control_flow() -> None:
    """A result of a loop or conditional is refused as a start; a function that makes it is not."""

    def program(tf: Any) -> Any:
        refused = []
        for make in (
            lambda: tf.Variable(tf.while_loop(lambda i: i < 10, lambda i: i * 2, [1])),
            lambda: tf.get_variable(
                "v",
                initializer=tf.while_loop(lambda x: x < 9, lambda x: x * x, [2.0]),
                use_resource=False,
            ),
        ):
            try:
                make()
            except ValueError as e:
                refused.append(e)
        loop = tf.Variable(lambda: tf.while_loop(lambda i: i < 10, lambda i: i * 2, [1]))
        mapped = tf.get_variable(
            "mapped", initializer=lambda: tf.map_fn(lambda x: x * 2.0, tf.range(3.0))
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return refused, sess.run([loop, mapped]), tf.get_default_graph()

    assert_same_program(program)


def test_steps_of_a_schedule_held_by_a_resource() -> None:
    """Piecewise and conditional learning rates read the step where TensorFlow reads it."""

    def program(tf: Any) -> Any:
        step = tf.get_variable("step", initializer=0, trainable=False, use_resource=True)
        rates = [
            tf.train.piecewise_constant(step, [5, 10], [1.0, 0.5, 0.1]),
            tf.cond(step < 4, lambda: 0.1 * tf.to_float(step), lambda: tf.constant(1.0)),
            tf.train.polynomial_decay(0.1, step, 10, 0.01, cycle=True),
        ]
        found = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(5):
                found.append(sess.run(rates))
                sess.run(step.assign_add(3))
        return found, tf.get_default_graph()

    assert_same_program(program)
