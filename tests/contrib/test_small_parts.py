"""Small parts of tf.contrib: sparsemax, and names that other modules have, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

LOGITS = np.random.RandomState(8).standard_normal((5, 4)) * 2


def nearest(logits: Any) -> Any:
    """The threshold by bisection: what is left of the logits has the sum 1."""
    low, high = logits.max() - 1, logits.max()
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(logits - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(logits - low, 0)


def test_sparsemax_and_its_loss() -> None:
    part = tf.contrib.sparsemax
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.constant(LOGITS)
        found = part.sparsemax(logits)
        labels = np.eye(4)[[0, 1, 2, 3, 0]]
        loss = part.sparsemax_loss(logits, found, labels)
        values, losses, grad = session.run([found, loss, tf.gradients(loss, logits)[0]])
        expected = np.stack([nearest(row) for row in LOGITS])
        np.testing.assert_allclose(values, expected, atol=1e-12)
        # The least loss is 0, where the probabilities are the labels.
        assert (losses >= 0).all()
        np.testing.assert_allclose(grad, expected - labels, atol=1e-12)
        sure = part.sparsemax_loss(10 * labels, part.sparsemax(10 * labels), labels)
        np.testing.assert_allclose(session.run(sure), 0.0, atol=1e-12)
        assert np.isnan(session.run(part.sparsemax([[1.0, np.nan]]))).all()


def test_names_of_other_modules() -> None:
    contrib = tf.contrib
    assert contrib.signal.stft is tf.signal.stft
    assert contrib.signal.frames is tf.signal.frame
    assert contrib.stateless.stateless_random_uniform is tf.random.stateless_uniform
    assert contrib.deprecated.merge_all_summaries is tf.summary.merge_all
    assert contrib.hooks.ProfilerHook is tf.train.ProfilerHook
    assert contrib.optimizer_v2.AdamOptimizer is tf.train.AdamOptimizer


@pytest.mark.parametrize("part", ["timeseries", "solvers", "bayesflow", "resampler"])
def test_parts_that_are_not_here_say_so_when_they_are_used(part: str) -> None:
    with pytest.raises(NotImplementedError, match=f"tf.contrib.{part} is not here"):
        getattr(tf.contrib, part).anything()
