"""Programs of map_fn, foldl, foldr and scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(build: Program) -> Program:
    PROGRAMS[build.__name__] = build
    return build


def place(tf: Any, *shape: Any, name: str = "x") -> Any:
    return tf.placeholder("float32", None if shape == (...,) else list(shape), name=name)


@program
def map_squares(tf: Any) -> Any:
    return tf.map_fn(lambda x: x * x, place(tf, 4, 3))


@program
def map_unknown_size(tf: Any) -> Any:
    return tf.map_fn(lambda x: x * x, place(tf, None, 3))


@program
def map_two_to_one(tf: Any) -> Any:
    elems = (place(tf, 4, 3), place(tf, 4, 3, name="y"))
    return tf.map_fn(lambda x: x[0] + x[1], elems, dtype=tf.float32)


@program
def map_one_to_two(tf: Any) -> Any:
    return tf.map_fn(
        lambda x: (x, tf.cast(x, tf.int32)), place(tf, 4), dtype=(tf.float32, tf.int32)
    )


@program
def map_output_signature(tf: Any) -> Any:
    return tf.map_fn(lambda x: x > 1.0, place(tf, 4), fn_output_signature=tf.bool)


@program
def map_unknown_rank(tf: Any) -> Any:
    return tf.map_fn(lambda x: x, place(tf, ...), name="hello", infer_shape=False)


@program
def map_dictionaries(tf: Any) -> Any:
    elems = {"a": place(tf, 2), "b": place(tf, 2, name="y")}
    mapped = tf.map_fn(lambda d: {"a": d["a"] + d["b"], "b": d["b"]}, elems)
    return [mapped["a"], mapped["b"]]


@program
def map_of_map(tf: Any) -> Any:
    return tf.map_fn(lambda v: tf.map_fn(lambda w: w * 2.0, v), place(tf, 2, 3))


@program
def map_options(tf: Any) -> Any:
    return tf.map_fn(
        lambda v: tf.reduce_sum(v),
        place(tf, 4, 3),
        parallel_iterations=3,
        swap_memory=True,
        back_prop=False,
    )


@program
def map_with_a_variable(tf: Any) -> Any:
    def scaled(x: Any) -> Any:
        return x * tf.get_variable("w", [3], initializer=tf.ones_initializer())

    return tf.map_fn(scaled, place(tf, 2, 3))


@program
def map_gradient(tf: Any) -> Any:
    x, w = place(tf, 4, 3), place(tf, 3, name="w")
    return tf.gradients(tf.map_fn(lambda v: tf.sin(v * w), x), [x, w])


@program
def map_of_constants(tf: Any) -> Any:
    return tf.map_fn(lambda x: x + 1, np.array([1, 2, 3]))


@program
def foldl_sum(tf: Any) -> Any:
    return tf.foldl(lambda a, x: a + x, place(tf, 4, 3))


@program
def foldl_from(tf: Any) -> Any:
    return tf.foldl(lambda a, x: a * 0.5 + x, place(tf, None, 3), initializer=tf.zeros([3]))


@program
def foldl_structures(tf: Any) -> Any:
    elems = (place(tf, 3), place(tf, 3, name="y"))
    start = [tf.constant(1.0), tf.constant(2.0)]
    return tf.foldl(lambda a, x: [a[0] + x[0], a[1] * x[1]], elems, start)


@program
def foldl_gradient(tf: Any) -> Any:
    x = place(tf, 4, 3)
    return tf.gradients(tf.foldl(lambda a, v: a * v, x), x)


@program
def foldl_of_constants(tf: Any) -> Any:
    return tf.foldl(lambda a, x: a + x, np.array([1, 2, 3]), back_prop=False, name="total")


@program
def foldr_sum(tf: Any) -> Any:
    return tf.foldr(lambda a, x: a * 0.5 + x, place(tf, 4, 3))


@program
def foldr_from(tf: Any) -> Any:
    return tf.foldr(lambda a, x: a * 0.5 + x, place(tf, None, 3), initializer=tf.zeros([3]))


@program
def foldr_gradient(tf: Any) -> Any:
    x = place(tf, 4, 3)
    return tf.gradients(tf.foldr(lambda a, v: a * v, x, name="back"), x)


@program
def scan_sums(tf: Any) -> Any:
    return tf.scan(lambda a, x: a + x, place(tf, 4, 3))


@program
def scan_from(tf: Any) -> Any:
    return tf.scan(lambda a, x: a + x, place(tf, None, 3), initializer=tf.zeros([3]))


@program
def scan_backwards(tf: Any) -> Any:
    return tf.scan(lambda a, x: a + x, place(tf, 4, 3), reverse=True)


@program
def scan_backwards_from(tf: Any) -> Any:
    return tf.scan(
        lambda a, x: a + x,
        place(tf, None, 3),
        initializer=tf.zeros([3]),
        reverse=True,
        infer_shape=False,
    )


@program
def scan_structures(tf: Any) -> Any:
    start = (tf.constant(0.0), tf.constant(1.0))
    return tf.scan(lambda a, x: (a[1], a[0] + a[1] + x), place(tf, 4), initializer=start)


@program
def scan_two_inputs(tf: Any) -> Any:
    elems = (place(tf, 4, 3), place(tf, 4, 3, name="y"))
    return tf.scan(lambda a, x: a + x[0] * x[1], elems, initializer=tf.zeros([3]))


@program
def scan_gradient(tf: Any) -> Any:
    x = place(tf, 4, 3)
    return tf.gradients(tf.scan(lambda a, v: a * v, x, swap_memory=True), x)


@program
def scan_of_constants(tf: Any) -> Any:
    return tf.scan(lambda a, x: a + x, np.array([1, 2, 3]))


REFUSED: dict[str, Program] = {
    "map no tensors": lambda tf: tf.map_fn(lambda x: x, []),
    "map a scalar": lambda tf: tf.map_fn(lambda x: x, tf.constant(1.0)),
    "map fewer results": lambda tf: tf.map_fn(
        lambda x: (x,), place(tf, 3), dtype=(tf.float32, tf.float32)
    ),
    "map other sizes": lambda tf: tf.map_fn(
        lambda x: x[0], (place(tf, 3), place(tf, 4, name="y")), dtype=tf.float32
    ),
    "scan other shape": lambda tf: tf.scan(lambda a, x: tf.stack([a, x]), place(tf, 3)),
    "foldl other shape": lambda tf: tf.foldl(lambda a, x: tf.stack([a, x]), place(tf, 3)),
}

OTHER_STRUCTURE: dict[str, Program] = {
    "map": lambda tf: tf.map_fn(lambda x: (x, x), place(tf, 3)),
    "scan": lambda tf: tf.scan(lambda a, x: (a, x), place(tf, 3)),
}
"""Refused with a text that shows the class of a tensor, which TensorFlow 2 calls otherwise."""
