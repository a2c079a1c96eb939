"""Static shapes: as programs read them, and as they follow from values in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.both import assert_same_program


def test_shapes_static_and_dynamic() -> None:
    """TensorShape and Dimension as TF1 programs use them."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 28, 28])
        unknown = tf.placeholder(tf.float32)
        batch = tf.shape(x)[0]
        flat = tf.reshape(x, [-1, x.shape[1] * x.shape[2]])
        grown = tf.reshape(x, tf.stack([batch, 28 * 28]))
        out = [
            x.get_shape().as_list(),
            x.shape.ndims,
            x.shape[0].value,
            x.shape[1] // 2,
            x.shape[1:].num_elements(),
            int(x.shape[2]),
            x.get_shape()[1] == 28,
            x.shape.is_fully_defined(),
            str(x.shape),
            repr(x.shape),
            flat.shape,
            grown.shape,
            unknown.shape,
            unknown.get_shape().ndims,
            x.shape.merge_with([5, None, 28]),
            x.shape.concatenate([3]),
            tf.TensorShape([1, None]).is_compatible_with([1, 7]),
            tf.TensorShape(None) == tf.TensorShape(None),
            [d.value for d in x.shape],
            [str(d) for d in x.shape.dims],
            tf.Dimension(3) + 4,
            tf.Dimension(None) * 2,
            tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])),
            (x + tf.ones([28])).shape,
            tf.reduce_mean(x, [1, 2]).shape,
            tf.reduce_mean(x, 1, keepdims=True).shape,
            tf.concat([x, x], -1).shape,
            tf.transpose(x).shape,
            tf.squeeze(tf.expand_dims(x, -1)).shape,
        ]
        unknown.set_shape([None, 3])
        out.append(unknown.shape)
        with_default = tf.placeholder_with_default(tf.zeros([2, 3]), [None, 3])
        unknown_sum = unknown + with_default
        out.append(unknown_sum.shape)
        for make in (
            lambda: unknown.set_shape([2, 4]),
            lambda: tf.reshape(tf.zeros([4]), [3]),
            lambda: tf.zeros([2, 3]) + tf.zeros([4, 3]),
            lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3])),
            lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([3, 2])], 0),
            lambda: tf.placeholder(tf.float32, [2]).shape.merge_with([3]),
            lambda: tf.TensorShape([None]).as_list()[0] + 1,
            lambda: tf.TensorShape(None).as_list(),
            lambda: int(tf.Dimension(None)),
            lambda: tf.ensure_shape(tf.zeros([2]), [3]),
        ):
            try:
                make()
                out.append("made")
            except (ValueError, TypeError) as e:
                out.append(e)
        with tf.Session() as sess:
            feed = {x: np.zeros([2, 28, 28]), unknown: np.ones([2, 3])}
            out.append([v.shape for v in sess.run([flat, grown, unknown_sum], feed)])
        return out

    assert_same_program(program)


def test_shapes_computed_in_the_graph() -> None:
    """Sizes that come out of arithmetic on constants and on partly known shapes."""

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [None, 6])
        images = tf.placeholder(tf.float32, [None, 8, 9, 3])
        y = tf.zeros([4, 6])
        c, n = tf.constant([2, 3]), tf.constant(3)
        batch, height, width, channels = tf.unstack(tf.shape(images))
        results = [
            tf.zeros(tf.shape(y) * 2),
            tf.zeros(tf.concat([tf.shape(x)[:1], [3]], 0)),
            tf.fill(tf.concat([tf.shape(x)[1:], [n]], 0), 1.0),
            tf.tile(y, tf.reverse(c, [0])),
            tf.range(tf.shape(y)[1]),
            tf.zeros([n, tf.shape(x)[0], tf.shape(x)[1] // 2]),
            tf.reshape(x, [-1, tf.shape(x)[1] // 3, 3]),
            tf.reshape(x, tf.stack([tf.shape(x)[0], tf.maximum(n, 2), 2])),
            tf.reshape(images, [batch, height * width, channels]),
            tf.zeros(tf.cast(tf.sqrt(16.0), tf.int32)),
            tf.zeros(tf.cast(tf.ceil(tf.shape(y)[1] / 4), tf.int32)),
            tf.zeros([tf.reduce_prod(tf.shape(y)), tf.size(y), tf.rank(y)]),
            tf.reshape(y, tf.where([True, False], [8, 8], [3, 3])),
            tf.zeros(tf.pad(c, [[1, 0]], constant_values=7)),
            tf.zeros(tf.add_n([c, c])),
            tf.zeros(tf.cumsum(c)),
            tf.zeros(tf.where(tf.less(n, 5), c, c + 1)),
            tf.linspace(0.0, 1.0, n),
            tf.linspace([0.0, 1.0], [1.0, 2.0], 4),
            tf.reduce_sum(y, n - 3),
            tf.transpose(y, tf.concat([[1], [0]], 0)),
            tf.broadcast_to(1.0, tf.broadcast_dynamic_shape([2, 1], c[1:])),
            tf.slice(y, [0, 1], tf.shape(y) - [0, 1]),
            y[:-n],
            tf.nn.top_k(y, n).values,
            tf.unsorted_segment_sum(y, [0, 1, 0, 1], n),
            tf.random_uniform(tf.shape(y)),
            tf.placeholder_with_default(tf.zeros([n, 2]), [None, 2]),
        ]
        return [result.shape for result in results]

    assert_same_program(program)
