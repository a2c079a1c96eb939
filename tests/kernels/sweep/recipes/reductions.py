"""Reductions, running sums and sums of segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.kernels.sweep.recipe import Recipe, given, index, normal, signs, truth, whole

_AXES = ([0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2])
_NUMBERS = ("float32", "float64", "int32", "uint8", "complex64")
_REAL = ("float32", "float64", "int32", "uint8")


def _along(op: str) -> Any:
    return lambda tf, x: [
        getattr(tf, op)(x, axes, keepdims=keep) for axes in _AXES for keep in (False, True)
    ]


def _extremes(tf: Any, x: Any) -> Sequence[Any]:
    return [
        op(x, axis, output_type=tf.int32) for op in (tf.argmax, tf.argmin) for axis in (0, 1, 2)
    ]


def _running(op: str) -> Any:
    return lambda tf, x: [
        getattr(tf, op)(x, axis, exclusive, reverse)
        for axis in (0, 1, 2)
        for exclusive in (False, True)
        for reverse in (False, True)
    ]


def _unsorted(tf: Any, rows: Any, ids: Any, count: Any) -> Sequence[Any]:
    return [
        getattr(tf.math, f"unsorted_segment_{op}")(rows, ids, count) for op in ("sum", "max", "min")
    ]


def _sorted(tf: Any, rows: Any, ids: Any) -> Sequence[Any]:
    return [getattr(tf.math, f"segment_{op}")(rows, ids) for op in ("sum", "max", "min")]


def _picked(kind: str) -> Any:
    return lambda tf, rows, picks, ids: [getattr(tf, f"sparse_segment_{kind}")(rows, picks, ids)]


RECIPES = (
    Recipe("sum", (whole("abc"),), _along("reduce_sum"), dtypes=_NUMBERS),
    Recipe("mean", (whole("abc"),), _along("reduce_mean"), dtypes=("float32",), rtol=1e-6),
    Recipe("max", (whole("abc"),), _along("reduce_max"), dtypes=_REAL),
    Recipe("min", (whole("abc"),), _along("reduce_min"), dtypes=_REAL),
    Recipe("prod", (signs("abc"),), _along("reduce_prod"), dtypes=("float32", "int32")),
    Recipe("all", (truth("abc"),), _along("reduce_all")),
    Recipe("any", (truth("abc"),), _along("reduce_any")),
    Recipe("places of extremes", (whole("abc"),), _extremes, dtypes=_REAL),
    Recipe(
        "sum of a computed array",
        (whole("abc"),),
        lambda tf, x: [tf.reduce_sum(x * x + x, axes) for axes in _AXES],
        dtypes=("float32", "float64", "int32"),
    ),
    Recipe("running sum", (whole("abc"),), _running("cumsum"), dtypes=("float32", "int32")),
    Recipe("running product", (signs("abc"),), _running("cumprod"), dtypes=("float32", "int32")),
    Recipe(
        "segments",
        (whole("nab"), index("n", "s"), given("", lambda sizes: sizes["s"])),
        _unsorted,
        dtypes=("float32", "int32"),
        is_wide=False,
        most={"s": 3000},
    ),
    Recipe(
        "products of segments",
        (signs("na"), index("n", "s"), given("", lambda sizes: sizes["s"])),
        lambda tf, x, i, n: [tf.math.unsorted_segment_prod(x, i, n)],
        most={"s": 3000},
    ),
    Recipe(
        "sorted segments",
        (whole("na"), index("n", "s", ascending=True)),
        _sorted,
        dtypes=("float32", "int32"),
        is_wide=False,
        most={"s": 3000},
    ),
    Recipe(
        "segments of picked rows",
        (whole("rab"), index("n", "r"), index("n", "s", ascending=True)),
        _picked("sum"),
        dtypes=("float32", "float64", "int32"),
        is_wide=False,
        most={"s": 3000},
        holds=lambda sizes: sizes["r"] > 0,
    ),
    Recipe(
        "means of segments of picked rows",
        (whole("ra"), index("n", "r"), index("n", "s", ascending=True)),
        _picked("mean"),
        rtol=1e-6,
        most={"s": 3000},
        holds=lambda sizes: sizes["r"] > 0,
    ),
    Recipe(
        "gradient of a bias",
        (whole("nhwc"),),
        lambda tf, x: [tf.raw_ops.BiasAddGrad(out_backprop=x)],
        dtypes=("float32", "float64", "int32"),
    ),
    Recipe(
        "counted",
        (index("n", "s"), given("", lambda sizes: sizes["s"])),
        lambda tf, x, n: [tf.raw_ops.Bincount(arr=x, size=n, weights=tf.zeros([0], tf.int32))],
        most={"s": 3000},
    ),
    Recipe(
        "running logarithm of sums",
        (normal("abc"),),
        lambda tf, x: [tf.raw_ops.CumulativeLogsumexp(x=x, axis=axis) for axis in (0, 1, 2)],
        rtol=1e-5,
    ),
    Recipe(
        "sum of squares",
        (whole("ab"),),
        lambda tf, x: [tf.nn.l2_loss(x)],
        dtypes=("float32", "float64"),
    ),
)
