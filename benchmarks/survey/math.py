"""Operators of the survey that compute: functions, reductions, products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from survey.program import Operator, below, normal, positive

_SIDE = 1000
_UNARY = (
    "sin",
    "cos",
    "tan",
    "asin",
    "atan",
    "sinh",
    "cosh",
    "erf",
    "erfc",
    "lgamma",
    "log",
    "log1p",
    "expm1",
    "exp",
    "tanh",
    "sigmoid",
    "rsqrt",
    "reciprocal",
    "square",
    "abs",
    "negative",
    "sqrt",
)
_ACTIVATIONS = (
    "relu",
    "relu6",
    "elu",
    "selu",
    "leaky_relu",
    "softsign",
    "swish",
    "softplus",
    "crelu",
    "l2_loss",
    "log_softmax",
    "softmax",
)
_BINARY = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "pow",
    "atan2",
    "floormod",
    "squared_difference",
)
_WHOLE = ("add", "multiply", "floordiv", "floormod", "maximum", "equal")
_SUMMED = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_logsumexp")
_AXES: tuple[tuple[tuple[int, ...], Any], ...] = (
    ((50, 200, 100), 0),
    ((50, 200, 100), 1),
    ((50, 200, 100), 2),
    ((50, 200, 100), None),
    ((50, 200, 100), [0, 2]),
    ((64, 28, 28, 32), [0, 1, 2]),
    ((64, 32, 28, 28), [0, 2, 3]),
    ((30, 40, 50, 20), [1, 3]),
    ((100_000, 10), 0),
    ((100_000, 10), 1),
    ((10, 100_000), 1),
)
_PRODUCTS = (
    (256, 256, 256),
    (32, 1000, 10),
    (1, 4096, 1000),
    (64, 4096, 256),
    (1000, 3, 1000),
    (10_000, 20, 5),
    (2048, 64, 64),
    (50, 2000, 50),
    (1000, 1000, 1),
    (1000, 1, 1000),
)
_BATCHES = (
    ((64, 50, 40), (64, 40, 30), False),
    ((8, 8, 64, 64), (8, 8, 64, 64), True),
    ((16, 128, 32), (16, 32, 128), False),
    ((2000, 8, 8), (2000, 8, 8), False),
    ((100, 1, 64), (100, 64, 50), False),
    ((200, 50, 1), (200, 1, 60), False),
)
_EINSUMS = (
    ("bhqd,bhkd->bhqk", (8, 4, 64, 32), (8, 4, 64, 32)),
    ("bqhd,bkhd->bhqk", (8, 64, 4, 32), (8, 64, 4, 32)),
    ("btd,dhk->bthk", (32, 50, 64), (64, 4, 16)),
    ("bi,bj->bij", (200, 50), (200, 60)),
    ("nd,md->nm", (300, 64), (400, 64)),
    ("i,ij->j", (500,), (500, 400)),
)


def _named(tf: Any, name: str) -> Callable[..., Any]:
    """A function of TF1's vocabulary, wherever it stands."""
    function: Callable[..., Any] = next(
        getattr(place, name) for place in (tf.nn, tf.math, tf) if hasattr(place, name)
    )
    return function


def _function(name: str) -> Callable[..., Any]:
    return lambda tf, *tensors: _named(tf, name)(*tensors)


def _elementwise() -> Iterator[Operator]:
    square = (_SIDE, _SIDE)
    for name in _UNARY:
        arcs = name in ("asin", "atan")
        scale = 0.1 if arcs else 1.0
        yield Operator(
            name, [positive(*square)], lambda tf, x, n=name, s=scale: _named(tf, n)(x * s)
        )
    for name in _ACTIVATIONS:
        yield Operator(name, [normal(*square)], _function(name))
    for name in _BINARY:
        for what, other in (("", square), (" by rows", (_SIDE,)), (" by columns", (_SIDE, 1))):
            operands = [positive(*square), positive(*other)]
            yield Operator(name + what, operands, _function(name))
    for name in ("exp", "tanh", "sigmoid", "sqrt", "log"):
        operand = positive(800, 800, dtype="float64")
        yield Operator(f"{name} of float64", [operand], _function(name))
    for dtype in ("int32", "int64"):
        for name in _WHOLE:
            operands = [below(99, *square, dtype=dtype)] * 2
            yield Operator(
                f"{name} of {dtype}",
                operands,
                lambda tf, x, y, n=name: _named(tf, n)(x + 1, y + 1),
                False,
            )
        operands = [below(99, 128, 128, dtype=dtype)] * 2
        yield Operator(f"matmul of {dtype}", operands, _function("matmul"), False)
        operand = below(99, *square, dtype=dtype)
        yield Operator(f"{dtype} to float", [operand], lambda tf, x: tf.cast(x, tf.float32), False)


def _reductions() -> Iterator[Operator]:
    for name in _SUMMED:
        for shape, axes in _AXES:
            yield Operator(
                f"{name} of {list(shape)} along {axes}",
                [normal(*shape)],
                lambda tf, x, n=name, a=axes: _named(tf, n)(x, a),
            )
    for name in ("cumsum", "cumprod"):
        for axis in (0, 1):
            yield Operator(
                f"{name} along {axis}",
                [normal(_SIDE, _SIDE)],
                lambda tf, x, n=name, a=axis: _named(tf, n)(x * 0.001 + 1.0, a),
            )
    for axis in (0, 1):
        yield Operator(
            f"argmax along {axis}",
            [normal(_SIDE, _SIDE)],
            lambda tf, x, a=axis: tf.argmax(x, a),
            False,
        )


def _products() -> Iterator[Operator]:
    for m, k, n in _PRODUCTS:
        for dtype in ("float32", "float64"):
            operands = [normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)]
            yield Operator(f"matmul {m} x {k} x {n} of {dtype}", operands, _function("matmul"))
    for left, right, turned in _BATCHES:
        yield Operator(
            f"batch matmul {left} {right}",
            [normal(*left), normal(*right)],
            lambda tf, x, y, t=turned: tf.matmul(x, y, transpose_b=t),
        )
    for text, left, right in _EINSUMS:
        yield Operator(
            f"einsum {text}",
            [normal(*left), normal(*right)],
            lambda tf, x, y, t=text: tf.einsum(t, x, y),
        )


MATH: tuple[Operator, ...] = (*_elementwise(), *_reductions(), *_products())
