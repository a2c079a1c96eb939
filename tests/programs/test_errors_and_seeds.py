"""Errors that programs catch and look into; random numbers that they expect again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_errors_of_steps(target: str) -> None:
    """The class, the code, the operation and the text; the session lives on."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        n = tf.placeholder(tf.int32, [], name="n")
        v = tf.Variable([1.0, 2.0], name="v")
        shape = tf.placeholder(tf.int32, [None], name="shape")
        table = tf.constant(np.arange(6.0).reshape(3, 2), name="table")
        fetches = {
            "unfed": x * 2.0,
            "uninitialized": v + 1.0,
            "reshape": tf.reshape(table, shape, name="bad_reshape"),
            "gather": tf.gather(table, n, name="bad_gather"),
            "division": tf.floordiv(7, n, name="bad_division"),
            "matmul": tf.matmul(x, x, name="bad_matmul"),
            "nan": tf.check_numerics(tf.log(tf.cast(n, tf.float32)), "my message", name="checked"),
            "slice": tf.slice(table, [0, n], [1, 2], name="bad_slice"),
            "concat": tf.concat([x, tf.reshape(tf.range(6.0), shape)], 0, name="bad_concat"),
            "add": tf.nn.bias_add(x, [1.0, 2.0]) + tf.reshape(tf.range(6.0), shape),
            "sparse": tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=tf.reshape(n, [1]), logits=tf.ones([1, 3])
            ),
            "split": tf.dynamic_partition([1.0, 2.0], [0, n], 2),
            "segments": tf.segment_sum([1.0, 2.0], [n, 0]),
            "onehot": tf.one_hot(0, n - 4),
            "update": tf.scatter_update(v, [n], [1.0]),
            "range": tf.range(0, n, 0),
        }
        feed = {n: 3, shape: [4, 2]}
        out = []
        with tf.Session() as sess:
            for name, fetch in fetches.items():
                feeds = dict(feed)
                if name in ("nan",):
                    feeds[n] = -1
                if name == "division":
                    feeds[n] = 0
                if name in ("matmul", "concat", "add"):
                    feeds[x] = np.ones([5, 2])
                    feeds[shape] = [1, 6]
                if name == "update":
                    sess.run(v.initializer)
                try:
                    sess.run(fetch, feeds)
                    out.append((name, "ran"))
                except tf.errors.OpError as e:
                    out.append((name, e, e.op and e.op.type, e.node_def is not None))
                    assert str(e)
            out.append(sess.run(v))
        return out

    assert_same_program(program, target=target)


def test_error_classes() -> None:
    """Codes, classes and the base class, as code that retries uses them."""

    def program(tf: Any) -> Any:
        kinds = (
            tf.errors.AbortedError,
            tf.errors.AlreadyExistsError,
            tf.errors.CancelledError,
            tf.errors.DataLossError,
            tf.errors.DeadlineExceededError,
            tf.errors.FailedPreconditionError,
            tf.errors.InternalError,
            tf.errors.InvalidArgumentError,
            tf.errors.NotFoundError,
            tf.errors.OutOfRangeError,
            tf.errors.PermissionDeniedError,
            tf.errors.ResourceExhaustedError,
            tf.errors.UnauthenticatedError,
            tf.errors.UnavailableError,
            tf.errors.UnimplementedError,
            tf.errors.UnknownError,
        )
        out = []
        for kind in kinds:
            error = kind(None, None, "text")
            out.append((kind.__name__, error.error_code, error.message, str(error), error.op))
            out.append((isinstance(error, tf.OpError), isinstance(error, tf.errors.OpError)))
        codes = {n: getattr(tf.errors, n) for n in dir(tf.errors) if n.isupper() and n[0] != "_"}
        op = tf.constant(1.0, name="c").op
        error = tf.errors.AbortedError(op.node_def, op, "again")
        out.append((error.op is op, error.node_def.name, str(error).split("\n")[0]))
        raised = tf.errors.exception_type_from_error_code(3).__name__
        return out, codes, raised

    assert_same_program(program)


def test_session_misuse() -> None:
    """Refusals around sessions: closed, empty, no default, wrong arguments."""

    def program(tf: Any) -> Any:
        out = []

        def attempt(make: Any) -> None:
            try:
                out.append(make())
            except Exception as e:
                out.append(e)

        c = tf.constant(5.0)
        attempt(lambda: c.eval())
        attempt(lambda: c.op.run())
        sess = tf.Session()
        attempt(lambda: sess.run(None))
        attempt(lambda: sess.run(5))
        attempt(lambda: sess.run([c, None]))
        attempt(lambda: sess.run("bad name"))
        attempt(lambda: sess.run(c, feed_dict=3))
        attempt(lambda: sess.run(c, {c: "text"}))
        with sess.as_default():
            attempt(lambda: c.eval())
            other = tf.Graph()
            with other.as_default():
                d = tf.constant(1)
            attempt(lambda: d.eval())
        sess.close()
        attempt(lambda: sess.run(c))
        sess.close()
        with tf.Session() as entered:
            attempt(lambda: entered.__enter__())
        attempt(lambda: tf.Session().run(tf.Variable(1.0, name="w")))
        attempt(lambda: tf.reset_default_graph())
        with tf.Graph().as_default():
            attempt(lambda: tf.reset_default_graph())
            attempt(lambda: tf.Session().run([]))
            attempt(lambda: tf.gradients(tf.constant(1), tf.constant(2)))
            attempt(lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)))
            lonely = tf.Variable(1.0, name="lonely")
            attempt(lambda: tf.train.AdamOptimizer().minimize(tf.constant(1.0), var_list=[lonely]))
            attempt(lambda: tf.train.AdamOptimizer().apply_gradients([]))
        return out

    assert_same_program(program)


def test_seeds() -> None:
    """Graph seeds, operation seeds, both; new sessions start over, runs go on."""

    def program(tf: Any) -> Any:
        out = []
        for graph_seed in (None, 1234):
            with tf.Graph().as_default():
                if graph_seed is not None:
                    tf.set_random_seed(graph_seed)
                fetches = [
                    tf.random_uniform([3], seed=7),
                    tf.random_normal([2, 2], mean=1.0, stddev=2.0, seed=8),
                    tf.truncated_normal([4], seed=9),
                    tf.random_uniform([5], maxval=10, dtype=tf.int32, seed=10),
                    tf.random_shuffle(tf.range(6), seed=11),
                    tf.multinomial([[0.1, 0.9, 0.5]], 5, seed=12),
                ]
                if graph_seed is not None:
                    fetches += [tf.random_uniform([2]), tf.random_normal([2])]
                    w = tf.get_variable("w", [2, 3])
                    init = tf.glorot_normal_initializer()
                    u = tf.Variable(init([2, 2]), name="u")
                    fetches += [w.initializer, u.initializer]
                for _ in range(2):
                    with tf.Session() as sess:
                        out.append(sess.run(fetches))
                        out.append(sess.run(fetches[:-2]))
                        if graph_seed is not None:
                            out.append(sess.run([w, u]))
                out.append(tf.get_default_graph())
        return out

    assert_same_program(program)


def test_initializers() -> None:
    """Every initialiser with a seed gives TensorFlow's numbers."""

    def program(tf: Any) -> Any:
        tf.set_random_seed(42)
        makers = {
            "zeros": tf.zeros_initializer(),
            "ones": tf.ones_initializer(dtype=tf.int32),
            "constant": tf.constant_initializer([1, 2, 3, 4, 5, 6]),
            "uniform": tf.random_uniform_initializer(-0.1, 0.1, seed=1),
            "normal": tf.random_normal_initializer(stddev=0.5),
            "truncated": tf.truncated_normal_initializer(stddev=0.5, seed=2),
            "scaling": tf.uniform_unit_scaling_initializer(factor=1.43, seed=3),
            "variance": tf.variance_scaling_initializer(2.0, "fan_avg", "uniform", seed=4),
            "glorot": tf.glorot_uniform_initializer(),
            "he": tf.initializers.he_normal(seed=5),
            "lecun": tf.initializers.lecun_uniform(),
            "identity": tf.initializers.identity(gain=2.0),
            "orthogonal": tf.orthogonal_initializer(seed=6),
        }
        variables = {
            name: tf.get_variable(
                name, [2, 3], tf.int32 if name == "ones" else tf.float32, initializer=maker
            )
            for name, maker in makers.items()
        }
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(variables), tf.get_default_graph()

    assert_same_program(program)
