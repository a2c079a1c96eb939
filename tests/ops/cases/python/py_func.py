"""Rows for calls of Python functions on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.ops.case import REAL
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

OPS = "PyFunc PyFuncStateless"


def _values(tf: Any, v: Inputs) -> Iterator[Step]:
    """Arrays, scalars and strings in and out; no inputs, no outputs, several of both."""
    x, text = v.fed(v.any(2, 3)), v.known(np.array([b"a", b"\x00z"], object))
    for stateful in (True, False):
        total = tf.py_func(
            lambda a, b: (a + a, a.dtype.name, np.array([b, b])),
            [x, v.known(v.any())],
            [v.element, tf.string, v.element],
            stateful=stateful,
        )
        yield infers(*total)
        yield run(*total)
    yield run(*tf.py_func(lambda t: ([*t, b"e"], t[0]), [text], [tf.string, tf.string]))
    yield run(tf.py_func(lambda: 7, [], tf.int64), tf.py_func(lambda t: t, ["one"], tf.string))
    yield run(tf.py_func(lambda a: None, [x], []))
    yield run(tf.numpy_function(lambda a: a.T, [x], v.element))
    yield run(tf.py_func(lambda: ["many", "kinds"], [], [tf.string, tf.string])[1])


def _written(tf: Any, v: Inputs) -> Iterator[Step]:
    """A function may write to what it is given."""

    def clear(array: Any) -> Any:
        array[...] = 0
        return array

    yield run(tf.py_func(clear, [tf.identity(v.fed(v.any(4)))], v.element))


def _in_loops(tf: Any, v: Inputs) -> Iterator[Step]:
    def add(number: Any) -> Any:
        return number + np.int32(2)

    def body(i: Any) -> Any:
        return tf.reshape(tf.py_func(add, [i], tf.int32), [])

    yield run(tf.while_loop(lambda i: i < 7, body, [v.known(0, np.int32)]))
    truth = v.known(True, np.bool_)
    yield run(tf.cond(truth, lambda: body(3), lambda: body(4)))


def _raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error

    return fail


def _refused(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.known(v.any(2))
    for error, name in (
        (ValueError("one"), "InvalidArgumentError"),
        (TypeError("two"), "InvalidArgumentError"),
        (StopIteration("three"), "OutOfRangeError"),
        (MemoryError("four"), "ResourceExhaustedError"),
        (NotImplementedError("five"), "UnimplementedError"),
        (KeyError("six"), "UnknownError"),
    ):
        text = f"{type(error).__name__}: {error}\n(.|\n)*Traceback(.|\n)*raise error(.|\n)*{error}"
        yield fails(name, text, tf.py_func(_raising(error), [x], v.element))
    for function, types, text in (
        (lambda a: (a, a), v.element, "returns 2 values, but expects to see 1 values"),
        (lambda a: None, v.element, "returns 0 values, but expects to see 1 values"),
        (lambda a: a, [], "returns 1 values, but expects to see 0 values"),
        (lambda a: 5, tf.int32, "0-th value returned by pyfunc_.* is int64, but expects int32"),
        (lambda a: [a, True], [v.element, tf.string], "1-th value .* is bool, but expects string"),
    ):
        made = tf.py_func(function, [x], types)
        yield fails("InvalidArgumentError", text, *(made if isinstance(made, list) else [made]))
    for value, kind in ((object(), "object"), ({"a": 1}, "dict"), ([[b"a", 3]], "int")):
        made = tf.py_func(lambda a, b=value: b, [x], tf.string)
        yield fails("InternalError", f"Unsupported object type {kind}", made)
    yield refused_alike(lambda: tf.py_func(3, [x], tf.int32))
    yield fails(
        "InvalidArgumentError",
        "Could not find callback with key=nobodys in the registry",
        *tf.raw_ops.PyFunc(input=[x], token="nobodys", Tout=[v.element]),
    )


# A GraphDef has the tokens of functions, which only their own library knows.
PROGRAMS = [
    Program(OPS, _values, REAL, crosses=False),
    Program("PyFunc", _written, crosses=False),
    Program("PyFunc", _in_loops, ("float32",), crosses=False),
    Program("PyFunc", _refused, ("float32",), crosses=False),
]
