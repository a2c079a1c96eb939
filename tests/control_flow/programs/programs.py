"""What the programs that take gradients through conditionals and loops are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROGRAMS: dict[str, Callable[[Any], Any]] = {}
"""Name -> program: builds into the default graph of the library it is given and returns what is to
be compared."""


def program(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Adds a program to the table."""
    PROGRAMS[build.__name__] = build
    return build


def place(tf: Any, *shape: Any, name: str = "x", dtype: str = "float32") -> Any:
    """A placeholder; of no known shape if `shape` is `...`."""
    return tf.placeholder(dtype, None if shape == (...,) else list(shape), name=name)


def flag(tf: Any, x: Any) -> Any:
    """A condition that depends on the value of `x`."""
    return tf.reduce_sum(x) > 0.2


def times(tf: Any, n: Any, body: Callable[[Any, Any], Any], x: Any, **options: Any) -> Any:
    """`x` after `n` iterations of `x = body(i, x)`."""
    start = tf.constant(0)
    return tf.while_loop(
        lambda i, _: i < n, lambda i, v: (i + 1, body(i, v)), (start, x), **options
    )[1]


def inside_of_loop(tf: Any, size: int | None) -> tuple[Any, Any, Any]:
    """A placeholder, a value of the body of a loop that starts from it, and the loop's result."""
    x = place(tf, size)
    inside: list[Any] = []

    def body(_: Any, v: Any) -> Any:
        inside.append(tf.sin(v))
        return inside[0] * v

    shapes = (tf.TensorShape([]), x.shape)
    y = times(tf, 3, body, x, shape_invariants=shapes)
    return x, inside[0], y
