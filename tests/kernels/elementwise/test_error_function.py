"""The float32 error functions against scipy's in float64, over all magnitudes, in all runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import dataflow as tf
from dataflow.kernels.elementwise import formula_program
from dataflow.kernels.elementwise.formula_program import _LEAST

OPS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "erf": (tf.math.erf, special.erf),
    "erfc": (tf.math.erfc, special.erfc),
}
of_each = pytest.mark.parametrize("name", OPS)
RUNS = 4
"""The last ones are of generated code."""


def _all_runs(name: str, x: np.ndarray) -> np.ndarray:
    """What every run makes of an array."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(x.dtype, [None] * x.ndim)
        y = OPS[name][0](fed)
        made = [session.run(y, {fed: x}) for _ in range(RUNS)]
    for one in made[1:]:
        np.testing.assert_array_equal(one, made[0])
        np.testing.assert_array_equal(np.signbit(one), np.signbit(made[0]))
    found: np.ndarray = made[0]
    return found


def _units_off(name: str, x: np.ndarray) -> np.ndarray:
    want = OPS[name][1](x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(want), 1.2e-38).astype(np.float32)).astype(np.float64)
    return np.abs(_all_runs(name, x).astype(np.float64) - want) / unit


@of_each
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_few_units_in_the_last_place(name: str, sign: int) -> None:
    wide = np.linspace(0, 11, 500_001).astype(np.float32)
    tiny = np.logspace(-37, 0, 100_001).astype(np.float32)
    for x in (wide, tiny):
        assert _units_off(name, np.float32(sign) * x).max() <= 8


def test_the_ends() -> None:
    x = np.zeros(_LEAST, np.float32)
    x[:7] = [np.nan, np.inf, -np.inf, -0.0, 3.4e38, 1e-45, -1e-45]
    for given in (x, x[:9]):
        found = _all_runs("erf", given)
        np.testing.assert_array_equal(found[:5], np.float32([np.nan, 1, -1, -0.0, 1]))
        assert np.signbit(found[3])
        assert np.abs(found[5:7]).max() <= 2e-45
        found = _all_runs("erfc", given)
        np.testing.assert_array_equal(found[:9], np.float32([np.nan, 0, 2, 1, 0, 1, 1, 1, 1]))
    for name, least, most in (("erf", -1, 1), ("erfc", 0, 2)):
        found = _all_runs(name, np.linspace(-12, 12, 100_000, dtype=np.float32))
        assert found.min() == least and found.max() == most
    np.testing.assert_array_equal(x[4:6], np.float32([3.4e38, 1e-45]))


@of_each
def test_sizes_and_views(name: str) -> None:
    """Each size alone, by numpy and by a program, and in a variable that is written to."""
    function, reference = OPS[name]
    x = np.random.default_rng(0).standard_normal((_LEAST // 128 + 1, 128)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32)
        turned = tf.transpose(function(tf.transpose(fed)))
        alone = function(fed)
        for view in (x, x[:-1], x[:-2], x.T, x[::2, ::-1], x[:3], x[0, :5], x[0, 0], x[:0]):
            want = reference(view.astype(np.float64))
            for found in session.run([alone, turned], {fed: view}):
                assert found.dtype == np.float32
                np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-9)


@of_each
def test_programs_and_numpy_make_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32) * 3
    x[::1000], x[5:9] = 0, [np.inf, -np.inf, -0.0, np.nan]
    found = _all_runs(name, x)
    monkeypatch.setattr(formula_program, "_LEAST", len(x) + 1)
    with tf.Graph().as_default(), tf.Session() as session:
        expected = session.run(OPS[name][0](x))
    np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))


@of_each
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_types_are_rounded_once(name: str, dtype: tf.DType) -> None:
    x = np.linspace(-4, 4, 999).astype(dtype.as_numpy_dtype)
    want = _all_runs(name, x.astype(np.float32)).astype(dtype.as_numpy_dtype)
    np.testing.assert_array_equal(_all_runs(name, x), want)


@of_each
def test_float64_is_scipys(name: str) -> None:
    x = np.linspace(-30, 30, _LEAST + 1)
    np.testing.assert_array_equal(_all_runs(name, x), OPS[name][1](x))
