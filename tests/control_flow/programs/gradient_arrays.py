"""Programs that take gradients through loops that read and write a TensorArray."""

from __future__ import annotations

from typing import Any

from tests.control_flow.programs.programs import flag, place, program, times


def array(tf: Any, size: Any, **options: Any) -> Any:
    return tf.TensorArray(tf.float32, size, **options)


@program
def array_written_and_stacked(tf: Any) -> Any:
    x = place(tf, 3, 2)
    written = array(tf, 3).write(0, x[0]).write(1, x[1] * 2.0).write(2, tf.exp(x[2]))
    return tf.gradients(written.stack(), x)


@program
def array_unstacked_and_read(tf: Any) -> Any:
    x = place(tf, 3, 2)
    filled = array(tf, 3).unstack(x)
    return tf.gradients(filled.read(0) * filled.read(2), x)


@program
def array_of_loop(tf: Any) -> Any:
    x, w = place(tf, 2), place(tf, 2, name="w")
    _, _, out = tf.while_loop(
        lambda i, v, t: i < 3,
        lambda i, v, t: (i + 1, v * w, t.write(i, tf.sin(v))),
        (0, x, array(tf, 3)),
    )
    return tf.gradients(out.stack(), [x, w])


@program
def array_of_loop_of_unknown_size(tf: Any) -> Any:
    x, w = place(tf, None), place(tf, None, name="w")
    grown = array(tf, 0, dynamic_size=True)
    _, _, out = tf.while_loop(
        lambda i, v, t: i < 4,
        lambda i, v, t: (i + 1, v * w, t.write(i, tf.sin(v))),
        (0, x, grown),
    )
    return tf.gradients(out.stack(), [x, w])


@program
def loop_over_array(tf: Any) -> Any:
    xs, w = place(tf, None, 2, name="xs"), place(tf, 2, name="w")
    count = tf.shape(xs)[0]
    inputs = array(tf, count).unstack(xs)
    start = tf.zeros([2])
    y = times(tf, count, lambda i, v: v * w + inputs.read(i), start)
    return tf.gradients(y, [xs, w])


@program
def loop_from_array_to_array(tf: Any) -> Any:
    xs, w = place(tf, 4, 2, name="xs"), place(tf, 2, 2, name="w")
    inputs, outputs = array(tf, 4).unstack(xs), array(tf, 4)

    def body(i: Any, h: Any, out: Any) -> Any:
        h = tf.tanh(tf.matmul(h, w) + inputs.read(i)[None])
        return i + 1, h, out.write(i, h[0])

    _, h, out = tf.while_loop(lambda i, h, out: i < 4, body, (0, tf.zeros([1, 2]), outputs))
    return tf.gradients(tf.reduce_sum(out.stack()) + tf.reduce_mean(h), [xs, w])


@program
def lstm(tf: Any) -> Any:
    xs = place(tf, 2, None, 3, name="xs")
    by_time = tf.transpose(xs, [1, 0, 2])
    length = tf.shape(by_time)[0]
    kernel = tf.get_variable("kernel", initializer=tf.fill([7, 16], 0.1))
    bias = tf.get_variable("bias", initializer=tf.zeros([16]))
    inputs = tf.TensorArray(tf.float32, length, name="inputs").unstack(by_time)
    outputs = tf.TensorArray(tf.float32, length, name="outputs")

    def step(t: Any, c: Any, h: Any, out: Any) -> Any:
        gates = tf.matmul(tf.concat([inputs.read(t), h], 1), kernel)
        i, j, f, o = tf.split(tf.nn.bias_add(gates, bias), 4, axis=1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return t + 1, c, h, out.write(t, h)

    zero = tf.zeros([2, 4])
    _, _, h, out = tf.while_loop(
        lambda t, *_: t < length, step, (0, zero, zero, outputs), swap_memory=True
    )
    loss = tf.reduce_mean(tf.square(out.stack())) + tf.reduce_sum(h)
    return tf.gradients(loss, [xs, kernel, bias])


@program
def lstm_that_stops_early(tf: Any) -> Any:
    xs = place(tf, 5, 2, 3, name="xs")
    w = tf.get_variable("w", initializer=tf.fill([5, 2], 0.3))
    inputs, outputs = array(tf, 5).unstack(xs), array(tf, 5)
    lengths = tf.constant([[3], [5]])

    def step(t: Any, h: Any, out: Any) -> Any:
        new = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], 1), w))
        alive = t < tf.reduce_max(lengths)
        kept = tf.where(tf.tile(t < lengths, [1, 2]), new, h)
        h = tf.cond(alive, lambda: kept, lambda: h)
        return t + 1, h, out.write(t, h)

    _, h, out = tf.while_loop(lambda t, *_: t < 5, step, (0, tf.zeros([2, 2]), outputs))
    return tf.gradients(tf.reduce_sum(out.stack()) + tf.reduce_sum(h), [xs, w])


@program
def array_in_nested_loops(tf: Any) -> Any:
    xs, w = place(tf, 3, 2, name="xs"), place(tf, 2, name="w")
    inputs = array(tf, 3, clear_after_read=False).unstack(xs)

    def body(i: Any, v: Any) -> Any:
        return times(tf, 3, lambda j, u: u * w + inputs.read(j), v)

    return tf.gradients(times(tf, 2, body, tf.zeros([2])), [xs, w])


@program
def array_in_cond(tf: Any) -> Any:
    xs = place(tf, 3, 2, name="xs")
    inputs = array(tf, 3, clear_after_read=False).unstack(xs)
    y = tf.cond(flag(tf, xs), lambda: inputs.read(0) * 2.0, lambda: inputs.read(1))
    return tf.gradients(y, xs)


@program
def array_gathered_and_scattered(tf: Any) -> Any:
    xs = place(tf, 3, 2, name="xs")
    scattered = array(tf, 4).scatter([3, 0, 1], xs)
    return tf.gradients(scattered.gather([1, 3]), xs)


@program
def array_split_and_concatenated(tf: Any) -> Any:
    xs = place(tf, 6, 2, name="xs")
    parts = array(tf, 3, infer_shape=False).split(xs, [1, 2, 3])
    return tf.gradients(parts.concat() * 2.0, xs)


@program
def array_split_and_written(tf: Any) -> Any:
    xs = place(tf, 3, name="xs")
    parts = array(tf, 3, dynamic_size=True).split(xs, [1, 1, 1])
    return tf.gradients(parts.write(3, [4.0]).concat() * 2.0, xs)


@program
def mapped(tf: Any) -> Any:
    xs, w = place(tf, 3, 2, name="xs"), place(tf, 2, name="w")
    return tf.gradients(tf.map_fn(lambda v: tf.sin(v * w), xs), [xs, w])


@program
def mapped_in_map(tf: Any) -> Any:
    xs, w = place(tf, 3, 2, name="xs"), place(tf, name="w")
    y = tf.map_fn(lambda v: tf.map_fn(lambda u: tf.sin(u * w), v), xs)
    return tf.gradients(y, [xs, w])


@program
def folded(tf: Any) -> Any:
    xs, w = place(tf, None, 2, name="xs"), place(tf, 2, name="w")
    left = tf.foldl(lambda total, v: total * w + v, xs)
    right = tf.foldr(lambda total, v: total * w + v, xs, initializer=tf.zeros([2]))
    return tf.gradients(left + right, [xs, w])


@program
def scanned(tf: Any) -> Any:
    xs, w = place(tf, None, 2, name="xs"), place(tf, 2, name="w")
    y = tf.scan(lambda total, v: total * w + v, xs, initializer=tf.zeros([2]))
    return tf.gradients(y, [xs, w])


@program
def scanned_with_lookup(tf: Any) -> Any:
    table = tf.get_variable("table", initializer=tf.ones([5, 2]))
    ids = tf.constant([0, 3, 3, 1])
    y = tf.scan(lambda total, i: total + tf.gather(table, i) * total, ids, tf.ones([2]))
    return tf.gradients(y, table)
