"""Elementwise functions, one by one and several together, on operands that broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.kernels.sweep.recipe import Recipe, normal, positive, whole

_FLOATS = ("float32", "float64")
_INTEGERS = ("int32", "int64")
_CLOSE = 1e-5


def _activations(tf: Any, x: Any) -> Sequence[Any]:
    exact = [tf.nn.relu(x), tf.nn.relu6(x), tf.nn.leaky_relu(x), tf.maximum(x, 1), tf.minimum(x, 1)]
    smooth = [tf.nn.elu, tf.nn.selu, tf.nn.softplus, tf.nn.softsign, tf.sigmoid, tf.tanh]
    return [*exact, *(function(x) for function in smooth)]


def _slopes(tf: Any, x: Any, dy: Any) -> Sequence[Any]:
    functions = (
        tf.nn.relu,
        tf.nn.relu6,
        tf.nn.elu,
        tf.nn.selu,
        tf.sigmoid,
        tf.tanh,
        tf.nn.softplus,
    )
    return [tf.gradients(function(x), x, dy)[0] for function in functions]


def _functions(tf: Any, x: Any) -> Sequence[Any]:
    math = tf.math
    ways = (math.erf, math.exp, math.log, math.sqrt, math.rsqrt, math.lgamma, math.log1p, tf.floor)
    return [*(function(x) for function in ways), tf.clip_by_value(x, 0.6, 2.0), tf.square(x)]


def _special(tf: Any, x: Any) -> Sequence[Any]:
    math = tf.math
    bessel = (math.bessel_i0, math.bessel_i0e, math.bessel_i1, math.bessel_i1e)
    return [*(function(x) for function in bessel), math.digamma(x)]


def _series(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    return [tf.math.zeta(tf.abs(x) + 1.5, y), tf.math.polygamma(tf.abs(x), y)]


def _arithmetic(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    return [
        x + y,
        x - y,
        x * y,
        tf.maximum(x, y),
        tf.minimum(x, y),
        x < y,
        tf.squared_difference(x, y),
    ]


def _divisions(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    return [tf.floordiv(x, y), tf.floormod(x, y), tf.truncatediv(x, y), tf.truncatemod(x, y)]


def _quotients(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    return [x / y, tf.math.divide_no_nan(x, y), tf.math.floormod(x * 0 + 7, y * 0 + 2)]


def _together(tf: Any, x: Any, y: Any) -> Sequence[Any]:
    z = (x * y + x) * 2 - tf.abs(y)
    return [tf.maximum(z, x) + 1, z * z, tf.reduce_sum(z, -1)]


def _pairs(name: str, build: Any, second: Any, dtypes: Sequence[str], **more: Any) -> list[Recipe]:
    first = whole
    return [
        Recipe(f"{name} {left} {right}", (first(left), second(right)), build, tuple(dtypes), **more)
        for left, right in (("abc", "abc"), ("abc", "c"), ("ab1", "1bc"), ("abc", ""), ("a", "ba"))
    ]


RECIPES = (
    Recipe("activations", (normal("ab"),), _activations, dtypes=_FLOATS, rtol=_CLOSE),
    Recipe(
        "slopes of activations", (normal("ab"), whole("ab")), _slopes, dtypes=_FLOATS, rtol=_CLOSE
    ),
    Recipe("functions", (positive("ab"),), _functions, dtypes=_FLOATS, rtol=2 * _CLOSE),
    Recipe("special functions", (positive("ab"),), _special, dtypes=_FLOATS, rtol=2 * _CLOSE),
    *_pairs("series", _series, positive, _FLOATS, rtol=1e-3),
    *_pairs("arithmetic", _arithmetic, whole, ("float32", "float64", "int32")),
    *_pairs("together", _together, whole, ("float32", "float64", "int32")),
    *_pairs("divisions", _divisions, positive, _INTEGERS),
    *_pairs("quotients", _quotients, positive, _FLOATS, rtol=_CLOSE),
    Recipe(
        "powers of integers",
        (whole("ab"), positive("b")),
        lambda tf, x, y: [tf.pow(x, y)],
        dtypes=("int32", "int64"),
    ),
    Recipe(
        "other types",
        (positive("ab"),),
        lambda tf, x: [tf.cast(x, dtype) for dtype in (tf.float32, tf.int32, tf.uint8, tf.bool)],
        dtypes=("float32", "int32", "uint8", "float64"),
        is_wide=False,
    ),
    Recipe(
        "a bias",
        (whole("nhwc"), whole("c")),
        lambda tf, x, bias: [tf.nn.bias_add(x, bias)],
        dtypes=("float32", "float64", "int32"),
    ),
    Recipe(
        "a sum of many",
        (whole("ab"), whole("ab"), whole("ab")),
        lambda tf, x, y, z: [tf.add_n([x, y, z])],
        dtypes=("float32", "int32"),
    ),
)
