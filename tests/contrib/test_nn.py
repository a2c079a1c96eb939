"""tf.contrib.nn: losses by samples of classes, and bounded softplus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import nn
from dataflow.contrib.nn.forward_gradients import fwd_gradients

RANDOM = np.random.default_rng(1)
WEIGHTS = RANDOM.normal(size=(20, 4)).astype(np.float32)
BIASES = RANDOM.normal(size=20).astype(np.float32)
INPUTS = RANDOM.normal(size=(3, 4)).astype(np.float32)
LABELS = np.array([[2], [7], [1]])
SAMPLED = np.array([4, 7, 9, 11, 16, 19])
SAMPLE = (SAMPLED, np.full([3, 1], 0.4, np.float32), np.linspace(0.1, 0.6, 6).astype(np.float32))


def loss(kept: list[int]) -> np.ndarray:
    """Of the true class and these of the sample."""
    ids = SAMPLED[kept]
    true = (INPUTS * WEIGHTS[LABELS[:, 0]]).sum(1) + BIASES[LABELS[:, 0]] - np.log(0.4)
    others = INPUTS @ WEIGHTS[ids].T + BIASES[ids] - np.log(SAMPLE[2][kept])
    others[ids == LABELS] = -np.inf
    logits = np.concatenate([true[:, None], others], 1)
    return np.log(np.exp(logits).sum(1)) - true  # type: ignore[no-any-return]


def test_sampled_losses() -> None:
    """By one true class each, and of those of the sample whose logits are the largest."""
    products = np.exp(INPUTS @ WEIGHTS[SAMPLED].T / 2)
    largest = np.argsort(-np.log(products.sum(0)) - BIASES[SAMPLED] / 2)
    with tf.Graph().as_default(), tf.Session() as session:
        given = (WEIGHTS, BIASES, tf.constant(LABELS), tf.constant(INPUTS))
        sample = tuple(tf.constant(each) for each in SAMPLE)
        whole = nn.sampled_sparse_softmax_loss(*given, 6, 20, sample)
        ranked = nn.rank_sampled_softmax_loss(*given, 6, 3, 20, 1, sample, 2.0, True, "div")
        drawn = nn.rank_sampled_softmax_loss(*given, 6, 3, 20, 1, None, 2.0, False, "mod")
        found = session.run([whole, ranked, drawn])
        np.testing.assert_allclose(found[0], loss([0, 1, 2, 3, 4, 5]), rtol=1e-5)
        np.testing.assert_allclose(found[1], loss(sorted(largest[:3])), rtol=1e-5)
        assert found[2].shape == (3,) and (found[2] > 0).all()
        for numbers, strategy, text in (
            ((21, 3), "mod", r"num_sampled \(21\) cannot be greater than num_classes \(20\)"),
            ((6, 6), "mod", r"num_resampled \(6\) must be less than num_sampled \(6\)"),
            ((6, 3), "x", r"unsupported partition_strategy \(x\)"),
        ):
            with pytest.raises(ValueError, match=text):
                nn.rank_sampled_softmax_loss(*given, *numbers, 20, 1, sample, 2.0, True, strategy)


@pytest.mark.parametrize("clip", [None, 1.5, np.array([[1.0], [4.0]])])
def test_scaled_softplus(clip: Any) -> None:
    """The values, and gradients by finite differences, summed over what is broadcast."""
    x, alpha = np.array([-3.0, -0.1, 1.2, 4.0]), np.array([[0.5], [2.0]])
    start = [x, alpha] if clip is None else [x, alpha, np.asarray(clip, np.float64)]
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.placeholder(tf.float64, each.shape) for each in start]
        y = nn.scaled_softplus(*given)
        slopes = tf.gradients(y, given)

        def value(*arrays: Any) -> Any:
            return session.run(y, dict(zip(given, arrays, strict=True)))

        expected = alpha * np.log1p(np.exp(x / alpha))
        expected = expected if clip is None else np.minimum(expected, clip)
        np.testing.assert_allclose(value(*start), expected)
        found = session.run(slopes, dict(zip(given, start, strict=True)))
        for at, array in enumerate(start):
            for place in np.ndindex(array.shape):
                step = np.zeros(array.shape)
                step[place] = 1e-6
                sides = [
                    value(*start[:at], array + sign * step, *start[at + 1 :]).sum()
                    for sign in (1, -1)
                ]
                np.testing.assert_allclose(
                    found[at][place], (sides[0] - sides[1]) / 2e-6, atol=1e-5
                )


def test_derivatives_in_a_direction() -> None:
    with tf.Graph().as_default():
        x, z = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
        ys = [x * x * z, tf.reduce_sum(tf.gather(x, [1, 1])), tf.constant(1.0) * z]
        ahead = fwd_gradients(ys, [x], [tf.constant([1.0, 10.0])], assert_unused=True)
        both = fwd_gradients(ys[:1], [x, z])
        assert ahead[2] is None
        with tf.Session() as session:
            (first, second), (third,) = session.run([ahead[:2], both])
    # 2 x z times the direction; the sum has the second element twice; x x is added for z.
    assert first.tolist() == [6.0, 200.0]
    assert second == 20.0
    assert third.tolist() == [7.0, 24.0]
