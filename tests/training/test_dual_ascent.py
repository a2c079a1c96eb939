"""Stochastic dual coordinate ascent finds the weights that its objective is least for."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf


@pytest.mark.parametrize("adaptative", [True, False])
@pytest.mark.parametrize("loss", ["logistic_loss", "squared_loss", "smooth_hinge_loss"])
def test_each_dual_is_the_slope_of_its_loss(loss: str, adaptative: bool) -> None:
    random = np.random.default_rng(0)
    count, l2 = 30, 2.0
    dense = random.normal(size=(count, 2)).astype(np.float32)
    kinds = random.integers(0, 3, count)
    labels = (dense @ [1.0, -2.0] + kinds > 1).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        state = tf.placeholder(tf.float32, [count, 4])
        of_kinds, of_dense = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [2])
        step = tf.train.sdca_optimizer(
            [np.arange(count)],
            [kinds * 7],
            [],
            [dense],
            np.ones(count, np.float32),
            labels,
            [np.arange(3) * 7],
            [of_kinds],
            [of_dense],
            state,
            loss,
            l1=0.0,
            l2=l2,
            num_loss_partitions=1,
            num_inner_iterations=1,
            adaptative=adaptative,
        )
        assert step.out_example_state_data.op.get_attr("adaptative") is adaptative
        states, weights = np.zeros((count, 4), np.float32), [np.zeros(3), np.zeros(2)]
        for _ in range(40):
            feeds = {state: states, of_kinds: weights[0], of_dense: weights[1]}
            states, *deltas = session.run([step[0], *step[1], *step[2]], feeds)
            weights = [each + delta for each, delta in zip(weights, deltas, strict=True)]
    prediction, sides = dense @ weights[1] + weights[0][kinds], 2 * labels - 1
    best = {
        "logistic_loss": sides / (1 + np.exp(sides * prediction)),
        "squared_loss": labels - prediction,
        "smooth_hinge_loss": sides * np.clip(1 - sides * prediction, 0, 1),
    }
    np.testing.assert_allclose(states[:, 0], best[loss], atol=1e-3)
    duals = states[:, 0]
    np.testing.assert_allclose(weights[1], duals @ dense / l2, rtol=1e-4)
    np.testing.assert_allclose(
        weights[0], [duals[kinds == kind].sum() / l2 for kind in range(3)], rtol=1e-4, atol=1e-6
    )


def test_examples_that_change_nothing_are_taken_last() -> None:
    """One example's dual is off; a step takes it a few times, and then the others."""
    count = 50
    arguments = {
        "sparse_example_indices": [],
        "sparse_feature_indices": [],
        "sparse_feature_values": [],
        "dense_features": [np.ones((count, 1), np.float32)],
        "example_weights": np.ones(count, np.float32),
        "example_labels": np.eye(1, count, dtype=np.float32)[0],
        "sparse_indices": [],
        "sparse_weights": [],
        "dense_weights": [np.zeros(1, np.float32)],
        "example_state_data": np.zeros((count, 4), np.float32),
        "loss_type": "squared_loss",
        "l1": 0.0,
        "l2": 1.0,
        "num_loss_partitions": 1,
        "num_inner_iterations": 1,
    }
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.raw_ops.SdcaOptimizer(**arguments)[0]
        assert step.op.get_attr("adaptative") is True
        assert tf.raw_ops.SdcaOptimizerV2(**arguments)[0].op.get_attr("adaptive") is True
        states = session.run(step)
    assert states[0, 3] == 1 and states[0, 0] > 0
    assert count - 10 < states[:, 3].sum() <= count
