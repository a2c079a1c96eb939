"""Many functions at once: their graphs, values and gradients in one program."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program

_ARRAY = np.array([[0.3, 0.7, -0.2], [0.9, -0.5, 0.1]])


def test_gradients_of_many_functions() -> None:
    """First gradients of functions of one tensor, in one graph."""

    def program(tf: Any) -> Any:
        x = tf.constant(_ARRAY)
        functions = [
            *(tf.tanh, tf.exp, tf.abs, tf.sin, tf.cos, tf.tan, tf.asin, tf.acos, tf.atan, tf.sinh),
            *(tf.cosh, tf.asinh, tf.atanh, tf.erf, tf.erfc, tf.expm1, tf.log1p, tf.nn.softplus),
            *(tf.nn.softsign, tf.nn.elu, tf.nn.selu, tf.nn.relu6, tf.nn.leaky_relu, tf.sign),
            *(tf.nn.softmax, tf.nn.log_softmax, tf.reduce_logsumexp, tf.nn.l2_loss, tf.floor),
            lambda x: tf.log(x + 2),
            lambda x: tf.sqrt(x + 2) + tf.rsqrt(x + 2) + tf.lgamma(x + 2) + tf.digamma(x + 2),
            lambda x: tf.reduce_max(x, 1),
            lambda x: tf.reduce_min(x, 0),
            lambda x: tf.reduce_prod(x, 1),
            lambda x: tf.nn.l2_normalize(x, 1),
            lambda x: tf.cumsum(x, 1, exclusive=True),
            lambda x: tf.cumprod(x, 1, reverse=True),
            lambda x: tf.transpose(x) ** 2,
            lambda x: tf.gather(x, [0, 0], axis=1) ** 2,
            lambda x: tf.gather_nd(x, [[0, 1]]) ** 2,
            lambda x: tf.pad(x, [[1, 0], [0, 2]], "REFLECT") ** 2,
            lambda x: tf.tile(x, [2, 1]) ** 2,
            lambda x: x[::-1, 1:] ** 2,
            lambda x: tf.concat([x, x * 2], 1) ** 2,
            lambda x: tf.stack([x, x * x], 1) ** 2,
            lambda x: tf.split(x, [1, 2], 1)[1] ** 2,
            lambda x: tf.where(x > 0, x * x, x * 3),
            lambda x: tf.maximum(x, 0.2) * tf.minimum(x, 0.1),
            lambda x: (x + 2) ** (x + 1),
            lambda x: (x + 3) % 0.7 + x // 0.2 + 1 / (x + 2),
            lambda x: tf.squared_difference(x, tf.reduce_mean(x, 0)),
            lambda x: tf.norm(x, axis=1),
            lambda x: tf.norm(x, np.inf, axis=[0, 1]) + tf.norm(x, 1) + tf.norm(x, 3, axis=0)[0],
            lambda x: tf.unsorted_segment_max(x, [1, 0], 2),
            lambda x: tf.einsum("ij,kj->ik", x, x),
            lambda x: tf.tensordot(x, x, [[1], [1]]),
            lambda x: tf.clip_by_norm(x, 0.5),
            lambda x: tf.matrix_diag(x) ** 2,
            lambda x: tf.reverse(x, [1]) * tf.roll(x, 1, 1),
            lambda x: tf.nn.top_k(x, 2)[0] ** 2,
            lambda x: tf.sort(x, direction="DESCENDING")[:, :2] * tf.sort(x, axis=0)[:, 1:],
            lambda x: tf.scatter_nd([[1], [0]], x, [3, 3]) ** 2,
            lambda x: tf.dynamic_stitch([[0], [1, 0]], [x[:1], x]) ** 2,
            lambda x: tf.cast(x, tf.float32) ** 2,
            lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x * 2),
            lambda x: tf.nn.moments(x, [0])[1],
        ]
        gradients = [tf.gradients(function(x), x)[0] for function in functions]
        known = [gradient for gradient in gradients if gradient is not None]
        with tf.Session() as sess:
            missing = [gradient is None for gradient in gradients]
            return missing, sess.run(known), tf.get_default_graph()

    assert_same_program(program)


def test_sorting() -> None:
    """Both orders, values and positions, on any axis, of any kind of number."""

    def program(tf: Any) -> Any:
        values = np.random.RandomState(0).randint(-9, 9, (3, 4, 5))
        unknown = tf.placeholder(tf.float32)
        results = [tf.sort(unknown, axis=0), tf.argsort(unknown, -2)]
        for dtype, array in ((tf.int32, values), (tf.uint8, abs(values)), (tf.float32, values)):
            x = tf.constant(array, dtype)
            for function in (tf.sort, tf.argsort):
                results.append(function(x))
                results.append(function(x, axis=0, name="named"))
                results.append(function(x, axis=1, direction="DESCENDING"))
                results.append(function(x, -3))
        refused = []
        for arguments in ({"direction": "UP"}, {"axis": tf.placeholder(tf.int32, [])}):
            try:
                tf.sort(x, **arguments)
            except ValueError as e:
                refused.append(e)
        with tf.Session() as sess:
            fetched = sess.run(results, {unknown: values * 0.5})
        return refused, fetched, [r.shape for r in results], tf.get_default_graph()

    assert_same_program(program)


def test_names_of_later_versions() -> None:
    """tf.random, tf.debugging, tf.linalg, tf.math and the initialisers of tables."""

    def program(tf: Any) -> Any:
        tf.random.set_random_seed(3)
        first = tf.tables_initializer()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, tf.no_op(name="table"))
        second = tf.initializers.tables_initializer("tables")
        results = [
            tf.random.normal([2], seed=1),
            tf.random.uniform([2], seed=2),
            tf.random.truncated_normal([2], seed=3),
            tf.random.shuffle([1, 2, 3], seed=4),
            tf.random.categorical([[1.0, 2.0]], 4, seed=5),
            tf.random.normal([3]),
            tf.debugging.check_numerics([1.0], "message"),
            tf.debugging.is_nan([1.0, np.nan]),
            tf.linalg.norm([3.0, 4.0]),
            tf.math.reduce_std([1.0, 2.0, 4.0]),
            tf.math.log_sigmoid([0.5]),
            tf.initializers.ones()([2]),
        ]
        with tf.Session() as sess:
            sess.run([first, second])
            return sess.run(results), tf.random.get_seed(4), tf.get_default_graph()

    assert_same_program(program)


def test_looking_into_schemas() -> None:
    """What tools read from `op.op_def`, and what a tuple of variables waits for."""

    def program(tf: Any) -> Any:
        v = tf.Variable([[1.0]], name="v")
        product = tf.matmul(v, [[2.0]])
        definition = product.op.op_def
        gated = tf.tuple([product, None, v], name="gated")
        attr = {a.name: a for a in definition.attr}
        return (
            definition.name,
            [a.name for a in definition.input_arg],
            [(a.name, a.type_attr) for a in definition.output_arg],
            [(a.name, a.type) for a in definition.attr],
            attr["transpose_a"].default_value.b,
            list(attr["T"].allowed_values.list.type),
            v.op.op_def.is_stateful,
            [g if g is None else g.name for g in gated],
            tf.get_default_graph(),
        )

    assert_same_program(program)
