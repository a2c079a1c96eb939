"""Softmax of rows by oneDNN against scipy's, and rows that have no number in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import dataflow as tf
from dataflow.kernels.rows import softmaxes
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers


def _never(rows: np.ndarray) -> np.ndarray:
    raise AssertionError("These rows are numbers.")


@pytest.mark.parametrize("shape", [(1, 16), (7, 33), (2048, 64), (3, 100_000), (1000, 1000)])
def test_values(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).normal(0, 5, shape).astype(np.float32)
    want = special.softmax(x.astype(np.float64), axis=1)
    found = softmaxes.softmax(x, _never)
    np.testing.assert_allclose(found, want, rtol=2e-5, atol=1e-12)
    with helpers(3):
        np.testing.assert_array_equal(softmaxes.softmax(x, _never), found)
    turned = softmaxes.softmax(np.asfortranarray(x), _never)
    np.testing.assert_array_equal(turned, found)


def test_the_rest_stays_with_numpy() -> None:
    x = np.zeros((100, 64), np.float32)
    assert softmaxes.softmax(x, _never) is not None
    assert softmaxes.softmax(x.astype(np.float64), _never) is None
    assert softmaxes.softmax(x.reshape(-1, 8), _never) is None
    with switched_off():
        assert softmaxes.softmax(x, _never) is None


@pytest.mark.parametrize("onednn", [True, False])
def test_rows_with_nan_and_infinity(onednn: bool) -> None:
    x = np.random.default_rng(0).standard_normal((300, 64)).astype(np.float32)
    x[3, 4], x[50, 6], x[70], x[80, :60] = np.nan, np.inf, -np.inf, -np.inf
    x[90], x[91] = 3e38, -3e38
    with np.errstate(all="ignore"):
        want = special.softmax(x.astype(np.float64), axis=1)
    for row in (3, 50, 70):
        assert np.isnan(want[row]).all()
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.nn.softmax(tf.constant(x.reshape(2, 150, 64)))
        if onednn:
            found = session.run(step)
        else:
            with switched_off():
                found = session.run(step)
    np.testing.assert_allclose(found.reshape(x.shape), want, rtol=2e-5, atol=1e-12)
