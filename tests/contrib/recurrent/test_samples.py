"""Samples and losses of sequences: values are TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.seq2seq.loss import SequenceLoss
from dataflow.contrib.seq2seq.samples import bernoulli_sample, categorical_sample


def _worked_out(make: Any) -> Any:
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        made = make()
        with tf.Session() as session:
            return session.run(made).tolist()


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: bernoulli_sample([0.2, 0.5, 0.9], seed=5), [0, 0, 1]),
        (
            lambda: bernoulli_sample(
                logits=[[0.2, 0.5]], sample_shape=[3, 2], dtype=tf.float32, seed=5
            ),
            [[[[1, 0]], [[1, 1]]], [[[0, 0]], [[0, 0]]], [[[0, 1]], [[0, 1]]]],
        ),
        (
            lambda: categorical_sample([[0.2, 0.5, 3.0]], sample_shape=4, seed=5),
            [[2], [0], [2], [2]],
        ),
        (lambda: categorical_sample(np.ones([2, 2, 3]), seed=5), [[0, 0], [1, 2]]),
        (
            lambda: categorical_sample(np.ones([3], np.float32), sample_shape=[2], seed=5),
            [0, 0],
        ),
        # Each row has one class that is as good as certain.
        (
            lambda: categorical_sample([[99.0, 0.0, 0.0], [0.0, 0.0, 99.0]], sample_shape=[3]),
            [[0, 2]] * 3,
        ),
    ],
)
def test_samples(make: Any, wanted: Any) -> None:
    assert _worked_out(make) == wanted


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, 3.241074800491333),
        (
            {
                "average_across_timesteps": True,
                "average_across_batch": True,
                "sum_over_timesteps": False,
                "sum_over_batch": False,
            },
            3.601194143295288,
        ),
        ({"sum_over_batch": False}, [3.812685966491699, 2.8600003719329834]),
    ],
)
def test_losses_of_sequences(options: Any, wanted: Any) -> None:
    logits = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 5
    targets, weights = [[0, 1, 2], [3, 0, 1]], [[1.0, 1.0, 0.0], [1.0, 0.5, 1.0]]
    found = _worked_out(lambda: SequenceLoss(**options)(targets, logits, weights))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_loss_is_no_sum_and_mean_at_once() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="average_across_batch and sum_over_batch cannot be"),
    ):
        SequenceLoss(average_across_batch=True)([[0]], [[[1.0]]], [[1.0]])
