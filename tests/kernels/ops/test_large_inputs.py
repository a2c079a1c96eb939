"""Kernels that take another way where there is much to do: against numpy and TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.pairwise import pairwise

oracle.disable_v2_behavior()


def _both(program: Any) -> tuple[Any, Any]:
    results = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default(), tf.Session() as session:
            results.append(session.run(program(tf)))
    return results[0], results[1]


@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize(("shape", "axis"), [((4000, 40), 1), ((400, 40, 12), -2), ((9, 20000), 1)])
def test_places_of_extremes(op: str, shape: tuple[int, ...], axis: int) -> None:
    values = np.random.default_rng(0).integers(0, 9, shape).astype(np.float32)
    values.flat[::97] = -1.0
    ours, theirs = _both(lambda tf: getattr(tf, op)(values, axis))
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("offset", ["least", "zero", "most"])
def test_distinct_integers(dtype: Any, offset: str) -> None:
    limits = np.iinfo(dtype)
    drawn = np.random.default_rng(0).integers(0, 90, 500)
    base = {"least": int(limits.min), "zero": 0, "most": int(limits.max) - 90}[offset]
    values = np.array([base + int(n) for n in drawn], dtype)
    (y, idx, count), theirs = _both(lambda tf: tuple(tf.unique_with_counts(values)))
    np.testing.assert_array_equal(y, theirs[0])
    np.testing.assert_array_equal(idx, theirs[1])
    np.testing.assert_array_equal(count, theirs[2])


@pytest.mark.parametrize("op", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_prod"])
@pytest.mark.parametrize("keepdims", [True, False])
def test_a_reduction_along_no_axis_keeps_the_sign_of_zero(op: str, keepdims: bool) -> None:
    values = np.array([[-0.0, 0.0], [np.nan, -np.inf]], np.float32)

    def program(tf: Any) -> Any:
        axes = tf.placeholder_with_default(np.zeros(0, np.int32), [None])
        return getattr(tf, op)(values, axes, keepdims=keepdims)

    ours, theirs = _both(program)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours[0]), np.signbit(theirs[0]))


@pairwise(
    {
        "op": ["reduce_sum", "reduce_mean"],
        "shape": [(3000, 2), (40, 60, 3), (1000, 7), (100_000, 5), (512, 8)],
        "dtype": [np.float32, np.float64, np.int32, np.complex64],
    }
)
def test_sums_of_short_rows(dtype: Any, shape: tuple[int, ...], op: str) -> None:
    values = (np.random.default_rng(0).normal(size=shape) * 100).astype(dtype)
    values[0] = -0.0 if np.dtype(dtype).kind == "f" else 0
    ours, theirs = _both(lambda tf: getattr(tf, op)(values, -1, keepdims=True))
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
    if np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(np.signbit(ours[0]), np.signbit(theirs[0]))
