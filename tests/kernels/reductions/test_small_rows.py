"""Softmaxes and their losses of few numbers, which go another way than those of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import dataflow as tf
from dataflow.kernels.reductions import small_rows

_SHAPES = [(1, 1), (4, 8), (3, 32), (32, 32), (33, 32), (4, 33), (2, 5)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", _SHAPES)
def test_values(shape: tuple[int, int], dtype: Any) -> None:
    random = np.random.default_rng(0)
    logits = (random.normal(size=shape) * 30).astype(dtype)
    labels = random.random(shape).astype(dtype)
    places = random.integers(0, shape[1], shape[0])
    exact = logits.astype(np.float64)
    probabilities, logarithms = special.softmax(exact, 1), special.log_softmax(exact, 1)
    weights = labels.astype(np.float64)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, shape)
        loss, slope = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=labels)
        sparse, sparse_slope = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
            features=x, labels=places
        )
        found = session.run(
            [tf.nn.softmax(x), tf.nn.log_softmax(x), loss, slope, sparse, sparse_slope],
            {x: logits},
        )
    expected = (
        probabilities,
        logarithms,
        -(weights * logarithms).sum(axis=1),
        probabilities - weights,
        -logarithms[np.arange(shape[0]), places],
        probabilities - np.eye(shape[1])[places],
    )
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    for have, want in zip(found, expected, strict=True):
        assert have.dtype == dtype
        np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)


def test_rows_that_are_not_finite_leave_the_others_alone() -> None:
    logits = np.zeros((5, 4), np.float32)
    logits[0, 1], logits[1, 2], logits[2, 0], logits[3] = np.nan, np.inf, -np.inf, 3e38
    labels = np.array([0, 1, 2, 3, 3])
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
        dense = tf.raw_ops.SoftmaxCrossEntropyWithLogits(
            features=x, labels=np.eye(4, dtype=np.float32)[labels]
        )[0]
        rows, sparse, whole = session.run([tf.nn.softmax(x), loss, dense])
    third, quarter = np.log(3), np.log(4)
    np.testing.assert_allclose(sparse, [np.nan, np.nan, third, quarter, quarter], rtol=1e-6)
    # Nothing of minus infinity is no number.
    np.testing.assert_allclose(whole, [np.nan, np.nan, np.nan, quarter, quarter], rtol=1e-6)
    np.testing.assert_allclose(rows[2:4], [[0, *[1 / 3] * 3], [0.25] * 4], rtol=1e-6)
    assert np.isnan(rows[:2]).all()


def test_only_small_matrices_of_floats() -> None:
    for x in (np.zeros((4, 8), np.float32), np.zeros((8, 4)).T):
        assert small_rows.is_small(x)
    for x in (
        np.zeros((4, 8), np.float16),
        np.zeros(4, np.float32),
        np.zeros((0, 8), np.float32),
        np.zeros((4, 33), np.float32),
        np.zeros((400, 8), np.float32),
        np.float32(1),
    ):
        assert not small_rows.is_small(x)


@pytest.mark.parametrize("label", [-1, 4])
def test_a_label_out_of_range_is_refused(label: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.constant([1, label]), logits=tf.zeros([2, 4])
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"label value of {label} "):
            session.run(loss)
