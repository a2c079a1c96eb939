"""Layers of int8 nets in one op, where TensorFlow crashes, refuses or is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.ops.cases.quantization.steps import f, q

RANDOM = np.random.default_rng(0)
A = RANDOM.integers(0, 256, (4, 6))
B = RANDOM.integers(-127, 128, (6, 5))
BIAS = f(RANDOM.uniform(-3, 3, 5))


def _multiply(mode: str, bounds: tuple[float, float], a: Any, b: Any, **attrs: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        ends = dict(zip(("min_a", "max_a", "min_b", "max_b"), (*bounds, -0.6, 0.9), strict=True))
        product = tf.raw_ops.QuantizedMatMulWithBiasAndDequantize(
            a=q("quint8", a),
            b=q("qint8", b),
            bias=BIAS,
            **ends,
            min_freezed_output=-1.0,
            max_freezed_output=1.0,
            Toutput=tf.float32,
            input_quant_mode=mode,
            **attrs,
        )
        return session.run(product)


@pytest.mark.parametrize(
    ("mode", "bounds", "numbers"),
    [
        ("MIN_FIRST", (-0.5, 2.0), A * (2.5 / 255) - 0.5),
        ("MIN_FIRST", (0.5, 2.0), A * (1.5 / 255) + 0.5),
        ("SCALED", (-3.0, 2.0), A * (3 / 255)),
    ],
)
def test_a_product_is_that_of_the_numbers(
    mode: str, bounds: tuple[float, float], numbers: Any
) -> None:
    """TensorFlow 2 adds a lowest number that is not 0 in the wrong unit, TensorFlow 1 does not."""
    expected = numbers @ (B * (0.9 / 127)) + BIAS
    for turned in (False, True):
        a, b = (A.T, B.T) if turned else (A, B)
        found = _multiply(mode, bounds, a, b, transpose_a=turned, transpose_b=turned)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def _layer(**changed: Any) -> Any:
    """A convolution's steps, or its error; TensorFlow crashes where it should refuse."""
    args = {
        "input": q("quint8", np.full((1, 2, 2, 3), 200)),
        "filter": q("qint8", np.full((1, 1, 3, 2), 100)),
        "bias": f([1, 2]),
        "min_input": f(0),
        "max_input": f(1),
        "min_filter": f(-1),
        "max_filter": f(1),
        "min_freezed_output": f(0),
        "max_freezed_output": f(9),
        "summand": q("quint8", np.full((1, 2, 2, 2), 7)),
        "min_summand": f(0),
        "max_summand": f(9),
    } | changed
    with tf.Graph().as_default(), tf.Session() as session:
        fed = {name: tf.placeholder(tf.as_dtype(array.dtype), None) for name, array in args.items()}
        made = tf.raw_ops.QuantizedConv2DWithBiasSumAndReluAndRequantize(
            **fed, out_type=tf.quint8, strides=[1, 1, 1, 1], padding="VALID"
        )
        return session.run(made.output, {fed[name]: args[name] for name in args})


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"bias": f([1])}, r"bias must be a vector with 2 elements, but has shape \[1\]"),
        ({"min_filter": f([-1, -1])}, "`min_ and max_filter` must have same shape"),
        (
            {"min_filter": f([-1] * 3), "max_filter": f([1] * 3)},
            r"must have 1 or 2 elements, but have shape \[3\]",
        ),
        ({"min_filter": f([]), "max_filter": f([])}, "contain at least one element"),
        ({"summand": q("quint8", [[1, 2]])}, r"output's shape \[1,2,2,2\], but has \[1,2\]"),
        ({"min_summand": f([0])}, "`min_freezed_summand` must be rank 0 but is rank 1"),
        ({"max_input": f([0])}, "`max_input` must be rank 0 but is rank 1"),
        ({"min_freezed_output": f([0])}, "`min_freezed_output` must be rank 0 but is rank 1"),
        ({"input": q("quint8", [[1]])}, "input must be rank 4 but is rank 2"),
        (
            {"filter": q("qint8", np.ones((1, 1, 2, 2)))},
            "input depth must be evenly divisible by filter depth: 3 vs 2",
        ),
        (
            {"filter": q("qint8", np.ones((1, 1, 1, 2)))},
            r"output \(2\) is not a multiple of the number of groups \(3\)",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as refusal:
        _layer(**changed)
    refusal.match(text)


def test_a_layer_takes_what_is_fed() -> None:
    """TensorFlow refuses a filter that is no constant, and a summand that is fed."""
    sums = 200 * 100 * 3 / 255 / 127 + np.array([1, 2]) + 7 * 9 / 255
    expected = np.broadcast_to(np.rint(sums * 255 / 9), (1, 2, 2, 2))
    np.testing.assert_array_equal(_layer(), expected)


def test_no_images_give_none() -> None:
    nothing = {
        "input": q("quint8", np.ones((0, 2, 2, 3))),
        "summand": q("quint8", np.ones((0, 2, 2, 2))),
    }
    assert _layer(**nothing).shape == (0, 2, 2, 2)


def test_a_range_of_one_number_gives_the_ends() -> None:
    assert (_layer(max_freezed_output=f(0)) == 255).all()
