"""Programs that print, for both libraries."""

from __future__ import annotations

import collections
import sys
from typing import Any

from tests.control_flow.both import programs_of


def old_print(tf: Any) -> Any:
    x = tf.placeholder("float32", [3], name="x")
    return tf.Print(x, [x, tf.constant("s"), 3], "msg: ", first_n=2, summarize=2, name="shown")


def old_print_with_defaults(tf: Any) -> Any:
    x = tf.placeholder("float32", [3], name="x")
    return tf.Print(x, [x])


def gradient_of_old_print(tf: Any) -> Any:
    x = tf.placeholder("float32", [3], name="x")
    return tf.gradients(tf.Print(x * 2.0, [x]), x)


def printed(tf: Any) -> Any:
    x = tf.placeholder("float32", [3], name="x")
    with tf.control_dependencies([tf.print("x is", x, "and more", [x, 2], {"b": 1, "a": x})]):
        return tf.identity(x)


def printed_string(tf: Any) -> Any:
    with tf.control_dependencies([tf.print(tf.constant("text"), name="p")]):
        return tf.constant(1)


def printed_to_streams(tf: Any) -> Any:
    x = tf.constant([1, 2])
    ops = [
        tf.print(x, output_stream=sys.stdout, sep="-", end="", summarize=-1, name="out"),
        tf.print("a", x, output_stream=tf.logging.info),
        tf.print(x, output_stream=tf.logging.WARN),
        tf.print(x, x, output_stream="file:///tmp/not-written", sep=", "),
    ]
    return tf.group(*ops)


def printed_structures(tf: Any) -> Any:
    x = tf.constant([1, 2])
    pair = collections.namedtuple("pair", "a b")
    ordered = collections.OrderedDict([("b", x), ("a", 1)])
    return tf.group(
        tf.print(pair(x, "text"), ordered, (x,), [[x], [x, None]], 2.5),
        tf.print("{} braces {}", x, "{}{}4"),
        tf.print(tf.SparseTensor([[0, 1]], [1.0], [2, 2]), "sparse"),
        tf.print("only text"),
        tf.print(),
    )


PRINT_PROGRAMS = programs_of(globals())
