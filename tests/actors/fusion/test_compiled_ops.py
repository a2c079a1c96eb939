"""Each op of a cluster gives the bits of its kernel, for values of all kinds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.compiled_clusters import config, led_up_to, ops_of, same_bits
from tests.actors.fusion.merged import RUNS


def special_values(dtype: Any) -> np.ndarray:
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([True, False] * 8)
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return np.array([0, 1, -1, 5, limits.max, limits.min, 1 << 20, -77] * 2, dtype)
    limits = np.finfo(dtype)
    values = [0.0, 1.0, 0.5, 2.5, 7.0, np.inf, limits.max, limits.tiny, limits.smallest_subnormal]
    return np.array([*values, *(-v for v in values), np.nan, 1e-3], dtype)


FLOATS = (np.float32, np.float64)
NUMBERS = (*FLOATS, np.int32, np.int64)
OPS: dict[str, tuple[Callable[..., Any], int, tuple[Any, ...]]] = {
    "Abs": (tf.abs, 1, NUMBERS),
    "AddN": (lambda x, y: tf.add_n([x, y, x, y, y]), 2, NUMBERS),
    "AddV2": (tf.add, 2, NUMBERS),
    "Ceil": (tf.math.ceil, 1, FLOATS),
    "ClipByValue": (
        lambda x, y: tf.raw_ops.ClipByValue(t=x, clip_value_min=y, clip_value_max=x),
        2,
        FLOATS,
    ),
    "DivNoNan": (tf.math.divide_no_nan, 2, FLOATS),
    "EluGrad": (lambda x, y: tf.raw_ops.EluGrad(gradients=x, outputs=y), 2, FLOATS),
    "Equal": (tf.equal, 2, (*NUMBERS, np.bool_)),
    "Floor": (tf.floor, 1, FLOATS),
    "FloorDiv": (tf.math.floordiv, 2, FLOATS),
    "Greater": (tf.greater, 2, NUMBERS),
    "GreaterEqual": (tf.greater_equal, 2, NUMBERS),
    "Less": (tf.less, 2, NUMBERS),
    "LessEqual": (tf.less_equal, 2, NUMBERS),
    "LogicalAnd": (tf.logical_and, 2, (np.bool_,)),
    "LogicalNot": (tf.logical_not, 1, (np.bool_,)),
    "LogicalOr": (tf.logical_or, 2, (np.bool_,)),
    "Maximum": (tf.maximum, 2, NUMBERS),
    "Minimum": (tf.minimum, 2, NUMBERS),
    "Mul": (tf.multiply, 2, NUMBERS),
    "MulNoNan": (tf.math.multiply_no_nan, 2, FLOATS),
    "Neg": (tf.negative, 1, NUMBERS),
    "NotEqual": (tf.not_equal, 2, (*NUMBERS, np.bool_)),
    "RealDiv": (tf.divide, 2, FLOATS),
    "Reciprocal": (tf.math.reciprocal, 1, FLOATS),
    "ReciprocalGrad": (lambda x, y: tf.raw_ops.ReciprocalGrad(y=x, dy=y), 2, FLOATS),
    "Relu": (tf.nn.relu, 1, NUMBERS),
    "Relu6": (tf.nn.relu6, 1, FLOATS),
    "Relu6Grad": (lambda x, y: tf.raw_ops.Relu6Grad(gradients=x, features=y), 2, FLOATS),
    "ReluGrad": (lambda x, y: tf.raw_ops.ReluGrad(gradients=x, features=y), 2, FLOATS),
    "Rsqrt": (tf.math.rsqrt, 1, FLOATS),
    "RsqrtGrad": (lambda x, y: tf.raw_ops.RsqrtGrad(y=x, dy=y), 2, FLOATS),
    "Select": (lambda x, y: tf.where(tf.less(x, y), x, y), 2, NUMBERS),
    "SelectV2": (lambda x, y: tf.where_v2(tf.less(x, y), x, y), 2, NUMBERS),
    "SeluGrad": (lambda x, y: tf.raw_ops.SeluGrad(gradients=x, outputs=y), 2, FLOATS),
    "SigmoidGrad": (lambda x, y: tf.raw_ops.SigmoidGrad(y=x, dy=y), 2, FLOATS),
    "Sign": (tf.sign, 1, NUMBERS),
    "Softsign": (tf.nn.softsign, 1, FLOATS),
    "SoftsignGrad": (lambda x, y: tf.raw_ops.SoftsignGrad(gradients=x, features=y), 2, FLOATS),
    "Sqrt": (tf.sqrt, 1, FLOATS),
    "SqrtGrad": (lambda x, y: tf.raw_ops.SqrtGrad(y=x, dy=y), 2, FLOATS),
    "Square": (tf.square, 1, NUMBERS),
    "SquaredDifference": (tf.math.squared_difference, 2, NUMBERS),
    "Sub": (tf.subtract, 2, NUMBERS),
    "TanhGrad": (lambda x, y: tf.raw_ops.TanhGrad(y=x, dy=y), 2, FLOATS),
}
CASTS = [
    (np.bool_, np.int32),
    (np.bool_, np.int64),
    (np.bool_, np.float32),
    (np.bool_, np.float64),
    (np.int32, np.int64),
    (np.int32, np.float32),
    (np.int32, np.float64),
    (np.int64, np.float32),
    (np.int64, np.float64),
    (np.float32, np.float64),
]


def check_bits(make: Callable[..., Any], operands: list[np.ndarray]) -> None:
    """Compares runs with clusters with runs node by node, on 64 numbers at a time."""
    count = -(-operands[0].size // 64)
    parts = [np.resize(operand, (count, 64)) for operand in operands]
    results: list[list[Any]] = []
    for fuses in (False, True):
        with tf.Graph().as_default(), tf.Session(config=config(fuses)) as session:
            places = [tf.placeholder(part.dtype, [64]) for part in parts]
            neutral = tf.placeholder(parts[0].dtype, [])
            made = make(*(led_up_to(place, neutral) for place in places))
            step = session.make_callable(made, feed_list=[*places, neutral])
            one = parts[0].dtype.type(1)
            rows = [0, 0, *range(count)]
            results.append([step(*(part[row] for part in parts), one) for row in rows])
    for wanted, given in zip(*results, strict=True):
        assert same_bits(wanted, given)


@pytest.mark.parametrize(
    ("op", "dtype"), [(op, dtype) for op, (_, _, dtypes) in OPS.items() for dtype in dtypes]
)
def test_each_op_gives_the_bits_of_its_kernel(
    op: str, dtype: Any, clusters: list[CompiledNode]
) -> None:
    make, arity, _ = OPS[op]
    values = special_values(dtype)
    operands = [values]
    if arity == 2:
        operands = [part.reshape(-1) for part in np.meshgrid(values, values)]
    check_bits(make, operands)
    assert op in ops_of(clusters)


@pytest.mark.parametrize(("source", "target"), CASTS)
def test_casts_give_the_bits_of_their_kernel(
    source: Any, target: Any, clusters: list[CompiledNode]
) -> None:
    check_bits(lambda x: tf.cast(x, target), [special_values(source)])
    assert "Cast" in ops_of(clusters)


@pytest.mark.parametrize("number", [0.0, -0.0, 2.5, float("inf"), float("nan")])
@pytest.mark.parametrize("op", [tf.maximum, tf.minimum])
@pytest.mark.parametrize("first", [True, False])
def test_extremes_of_a_value_and_a_number(
    op: Callable[..., Any], number: float, first: bool, clusters: list[CompiledNode]
) -> None:
    check_bits(
        lambda x: op(np.float32(number), x) if first else op(x, np.float32(number)),
        [special_values(np.float32)],
    )
    assert ops_of(clusters) - {"Mul"}


FUNCTIONS = [
    *("exp", "expm1", "log", "log1p", "tanh", "sigmoid", "softplus", "sinh", "cosh"),
    *("asinh", "acosh", "atanh"),
]
OF_FLOAT32 = ["asin", "acos", "atan"]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [*itertools.product(FUNCTIONS, FLOATS), *itertools.product(OF_FLOAT32, [np.float32])],
)
def test_functions_are_formulas(name: str, dtype: Any, clusters: list[CompiledNode]) -> None:
    check_bits(getattr(tf.math, name), [special_values(dtype)])
    assert len(clusters) == 1
    assert len(ops_of(clusters)) == 2


def test_division_of_integers_stays_with_its_kernel(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.int32, [8])
        y = led_up_to(x, x) // x
        ones = np.ones(8, np.int32)
        for _ in range(RUNS):
            session.run(y, {x: ones})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            session.run(y, {x: ones * 0})
    assert ops_of(clusters) == {"Mul"}
