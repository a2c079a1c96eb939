"""Programs with TensorArrays outside of loops: each method, its names, shapes and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(build: Program) -> Program:
    PROGRAMS[build.__name__] = build
    return build


def place(tf: Any, *shape: Any, name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, None if shape == (...,) else list(shape), name=name)


@program
def unstack_and_stack(tf: Any) -> Any:
    x = place(tf, 3, 2)
    return tf.TensorArray(tf.float32, 3).unstack(x).stack()


@program
def unstack_unknown_size(tf: Any) -> Any:
    x = place(tf, None, 2)
    size = tf.shape(x)[0]
    return tf.TensorArray(tf.float32, size).unstack(x).stack()


@program
def unstack_unknown_rank(tf: Any) -> Any:
    x = place(tf, ...)
    array = tf.TensorArray(tf.float32, tf.shape(x)[0], infer_shape=False).unstack(x)
    return [array.stack(), array.size()]


@program
def write_and_read(tf: Any) -> Any:
    x = place(tf, 2)
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False, tensor_array_name="rows")
    array = array.write(0, x).write(1, x * 2.0, name="second")
    return [array.read(1), array.read(0, name="first"), array.stack(), array.size()]


@program
def write_values_that_are_no_tensors(tf: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, name="made").write(0, 1).write(1, 2.5)
    return array.stack(name="all")


@program
def dynamic_size(tf: Any) -> Any:
    x = place(tf, 2)
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    array = array.write(0, x).write(2, x + 1.0)
    return [array.size(), array.stack()]


@program
def missing_elements_are_zeros(tf: Any) -> Any:
    x = place(tf, 2)
    return tf.TensorArray(tf.float32, 3, element_shape=[2]).write(1, x).stack()


@program
def gather_and_scatter(tf: Any) -> Any:
    x = place(tf, 3, 2)
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).scatter([3, 0, 1], x)
    return [array.gather([1, 3, 3], name="some"), array.gather([0])]


@program
def split_and_concat(tf: Any) -> Any:
    x = place(tf, 6, 2)
    even = tf.TensorArray(tf.float32, 3).split(x, [2, 2, 2])
    uneven = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 0, 5], name="cut")
    return [even.concat(), uneven.concat(name="joined")]


@program
def split_by_a_tensor(tf: Any) -> Any:
    x = place(tf, 4)
    lengths = tf.constant([3, 1]) + 0
    return tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, lengths).read(0)


@program
def identity(tf: Any) -> Any:
    x = place(tf, 2)
    array = tf.TensorArray(tf.float32, 2).unstack(x)
    with tf.control_dependencies([tf.constant(1, name="before")]):
        array = array.identity()
    return array.read(1)


@program
def close(tf: Any) -> Any:
    array = tf.TensorArray(tf.int32, 2).unstack(place(tf, 2, dtype="int32"))
    value = array.read(0)
    with tf.control_dependencies([value]):
        array.close()
    return value


@program
def strings(tf: Any) -> Any:
    array = tf.TensorArray(tf.string, 3, clear_after_read=False).unstack(["a", "b", "c"])
    rows = tf.TensorArray(tf.string, 1).write(0, tf.constant([["x", "y"]]))
    return [tf.reshape(array.read(1), [1]), array.stack(), array.gather([2, 0]), rows.stack()]


@program
def other_types(tf: Any) -> Any:
    fetches = []
    for name in ("bool", "int8", "uint16", "int64", "float64", "float16", "complex64"):
        values = tf.cast(tf.constant([[0, 1], [2, 3]]), name)
        array = tf.TensorArray(name, 2, clear_after_read=False).unstack(values)
        fetches += [array.read(1), array.stack(), array.concat()]
    return fetches


@program
def scalars(tf: Any) -> Any:
    x = place(tf, 3)
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    return [array.stack(), array.read(2)]


@program
def empty_elements(tf: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(tf.zeros([2, 0, 3]))
    return [array.stack(), array.read(0), array.concat()]


@program
def no_elements(tf: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, element_shape=[2, 3])
    return [array.stack(), array.concat(), array.size()]


@program
def devices(tf: Any) -> Any:
    with tf.device("/cpu:0"):
        x = place(tf, 2)
    with tf.device("/job:localhost"):
        array = tf.TensorArray(tf.float32, 2)
        array = array.write(0, x)
        pinned = tf.TensorArray(tf.float32, 2, colocate_with_first_write_call=False)
        pinned = pinned.unstack([[1.0], [2.0]])
    array = array.write(1, [3.0, 4.0])
    return [array.stack(), pinned.stack()]


@program
def gradient_of_stack(tf: Any) -> Any:
    x = place(tf, 3, 2)
    y = tf.TensorArray(tf.float32, 3).unstack(x).stack()
    return [y, tf.gradients(y * y, x)]


@program
def gradient_of_reads(tf: Any) -> Any:
    x = place(tf, 3, 2)
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    y = array.read(0) * array.read(2) + tf.sin(array.read(0))
    return [y, tf.gradients(y, x)]


@program
def gradient_of_writes(tf: Any) -> Any:
    x, y = place(tf, 2), place(tf, 2, name="y")
    array = tf.TensorArray(tf.float32, 3, element_shape=[2])
    array = array.write(0, x * y).write(2, tf.exp(x))
    return tf.gradients(array.stack() * [[1.0], [2.0], [3.0]], [x, y])


@program
def gradient_of_gather_and_scatter(tf: Any) -> Any:
    x = place(tf, 3, 2)
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).scatter([2, 0, 1], x)
    return tf.gradients(array.gather([0, 1, 1]) * array.gather([2, 2, 0]), x)


@program
def gradient_of_split_and_concat(tf: Any) -> Any:
    x = place(tf, 6, 2)
    array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 2, 3])
    return tf.gradients(tf.square(array.concat()), x)


@program
def gradient_of_split_and_read(tf: Any) -> Any:
    x = place(tf, 4)
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).split(x, [2, 2])
    return tf.gradients(array.read(0) * array.read(1), x)


@program
def two_gradients_of_one_array(tf: Any) -> Any:
    x = place(tf, 3)
    y = tf.TensorArray(tf.float32, 3).unstack(x).stack()
    return [tf.gradients(y * y, x), tf.gradients(tf.exp(y), x, name="gradients_again")]


@program
def gradient_of_unread_elements(tf: Any) -> Any:
    x = place(tf, 3, 2)
    array = tf.TensorArray(tf.float32, 3).unstack(x)
    return tf.gradients(array.read(1), x)


@program
def gradient_in_name_scope(tf: Any) -> Any:
    x = place(tf, 2)
    with tf.name_scope("outer"):
        y = tf.TensorArray(tf.float32, 2).unstack(x).stack()
        return tf.gradients(y * y, x)


@program
def gradient_array_by_hand(tf: Any) -> Any:
    x = place(tf, 2)
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)
    sums = array.grad("mine").write(0, 3.0).write(0, 4.0)
    return [sums.read(0), sums.read(1)]
