"""Rows for Python functions on tensors whose values are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import FLOAT32_64
from tests.ops.program import Inputs, Program, Step, fails, infers, run, slopes


def _values(tf: Any, v: Inputs) -> Iterator[Step]:
    """Functions look at values, loop over rows, and call operations."""

    def look(x: Any, text: Any) -> Any:
        total = 0.0
        for row in tf.matmul(x, x, transpose_b=True):
            total += float(tf.reduce_sum(tf.sign(row)))
        assert tuple(x.shape) == (2, 3)
        return x * 2, total, text.numpy() + b"!", [1, 2]

    x = v.fed(v.any(2, 3))
    types = [v.element, tf.float64, tf.string, tf.int32]
    made = tf.py_function(look, [x, tf.constant("so")], types)
    yield infers(*made)
    yield run(*made)
    yield run(tf.py_function(lambda a: None, [x], []))
    yield run(tf.py_function(lambda: 3, [], tf.int32))
    loop = tf.while_loop(
        lambda i, a: i < 4,
        lambda i, a: (i + 1, tf.reshape(tf.py_function(lambda a: a + 1, [a], v.element), [2])),
        [0, v.known(v.any(2))],
    )
    yield run(*loop)


def _sloped(tf: Any, v: Inputs) -> Iterator[Step]:
    def huber(x: Any, delta: Any) -> Any:
        if abs(x) <= delta:
            return x * x / 2
        return delta * (abs(x) - delta / 2)

    for value in (0.5, -3.0):
        x, delta = v.fed(value), v.fed(1.0)
        yield slopes(tf, [tf.py_function(huber, [x, delta], v.element)], [x, delta])
    x = v.fed(v.any(2, 2))
    pair = tf.py_function(lambda x: (tf.matmul(x, x), tf.exp(x)), [x], [v.element] * 2)
    yield slopes(tf, pair, [x])


def _refused(tf: Any, v: Inputs) -> Iterator[Step]:
    for function, dtype, error, text in (
        (lambda: 1 / 0, tf.float32, "UnknownError", "ZeroDivisionError: division by zero"),
        (lambda: None, tf.int32, "InvalidArgumentError", "returns 0 values, but expects to see 1"),
        (lambda: tf.Variable(1.0), tf.float32, "UnknownError", "Attempting to return a variable"),
    ):
        yield fails(error, text, tf.py_function(function, [], dtype))


# A GraphDef has the tokens of functions, which only their own library knows.
PROGRAMS = [
    Program("EagerPyFunc", _values, FLOAT32_64, crosses=False),
    Program("EagerPyFunc", _sloped, FLOAT32_64, gradients=True, crosses=False),
    Program("EagerPyFunc", _refused, ("float32",), crosses=False),
]
