"""tf.contrib.linear_optimizer: where the solver ends, by TensorFlow 1.15 and by closed formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import linear_optimizer as lo

DENSE = np.float32([[1, 2], [0.5, -1], [2, 0], [-1, 1]])
WEIGHTS = [1.0, 2.0, 1.0, 0.5]
LABELS = {"squared_loss": [0.5, -1.0, 2.0, 3.0], "poisson_loss": [0.0, 2.0, 1.0, 3.0]}


def examples(loss: str) -> dict[str, Any]:
    return {
        "sparse_features": [
            lo.SparseFeatureColumn([0, 1, 1, 2, 3], [0, 0, 2, 3, 4], [1.0, 1.0, 0.5, 2.0, 1.0]),
            lo.SparseFeatureColumn([0, 2, 3], [1, 0, 1], None),
        ],
        "dense_features": [tf.constant(DENSE)],
        "example_labels": LABELS.get(loss, [0.0, 1.0, 1.0, 0.0]),
        "example_weights": WEIGHTS,
        "example_ids": ["a", "b", "c", "d"],
    }


def options(loss: str, **changed: Any) -> dict[str, Any]:
    return {
        "loss_type": loss,
        "symmetric_l1_regularization": 0.0,
        "symmetric_l2_regularization": 1.0,
    } | changed


def as_list(variable: Any) -> list[Any]:
    return [variable] if isinstance(variable, tf.Variable) else list(variable)


def trained(loss: str, steps: int = 40, is_parted: bool = False, **changed: Any) -> dict[str, Any]:
    """The values after some steps, and names."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        cuts = tf.fixed_size_partitioner(2) if is_parted else None
        with tf.variable_scope("m", partitioner=cuts):
            made = [
                tf.get_variable(name, [size], initializer=tf.zeros_initializer())
                for name, size in (("v0", 5), ("v1", 2), ("d0", 2))
            ]
        if is_parted:
            made[1] = list(made[1])
        given = examples(loss)
        variables = {"sparse_features_weights": made[:2], "dense_features_weights": made[2:]}
        model = lo.SdcaModel(given, variables, options(loss, **changed))
        step = tf.train.create_global_step()
        train = model.update_weights(model.minimize(global_step=step))
        found = {
            "predictions": model.predictions(given),
            "loss": model.unregularized_loss(given),
            "whole": model.regularized_loss(given),
            "gap": model.approximate_duality_gap(),
            "v0": tf.convert_to_tensor(made[0]),
            "d0": tf.convert_to_tensor(made[2]),
            "all": tf.concat([part for each in made for part in as_list(each)], 0),
        }
        assert found["gap"].shape == []
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train)
        values = session.run(found)
        assert session.run(step) == steps
        values["names"] = [each.op.name for each in tf.global_variables()]
        values["tensors"] = {key: each.op.name for key, each in found.items()}
        values["summaries"] = [each.op.name for each in tf.get_collection("summaries")]
        return values


# What TensorFlow 1.15 prints after 30 steps: predictions, losses, weights.
ENDS = {
    "logistic_loss": (
        [0.1962, 0.7997, 0.8371, 0.162],
        (0.2071, 0.3438),
        [0.2044, 0.0, 0.2003, 0.3259, -0.081],
        [0.411, -0.8741],
    ),
    "smooth_hinge_loss": (
        [-0.8754, 0.866, 0.9073, -0.9455],
        (0.1139, 0.164),
        [0.1435, 0.0, 0.134, 0.1853, -0.0272],
        [0.222, -0.5445],
    ),
    "poisson_loss": (
        [0.3244, 1.7773, 0.8698, 1.8925],
        (0.5727, 0.679),
        [0.1209, 0.0, 0.2227, 0.2603, 0.5538],
        [-0.3952, -0.5404],
    ),
}


@pytest.mark.parametrize("loss", ENDS)
def test_where_it_ends(loss: str) -> None:
    found = trained(loss)
    predictions, (alone, whole), sparse, dense = ENDS[loss]
    np.testing.assert_allclose(found["predictions"], predictions, atol=2e-3)
    np.testing.assert_allclose([found["loss"], found["whole"]], [alone, whole], atol=2e-3)
    np.testing.assert_allclose(found["v0"], sparse, atol=2e-3)
    np.testing.assert_allclose(found["d0"], dense, atol=2e-3)
    assert abs(found["gap"]) < 1e-3
    assert found["summaries"] == ["approximate_duality_gap", "examples_seen"]


def matrix() -> Any:
    """The examples as a matrix of the weights' order."""
    x = np.zeros((4, 9))
    x[[0, 1, 1, 2, 3], [0, 0, 2, 3, 4]] = [1, 1, 0.5, 2, 1]
    x[[0, 2, 3], [6, 5, 6]] = 1
    x[:, 7:] = DENSE
    return x


@pytest.mark.parametrize("l2", [3.0, 0.25])
def test_least_squares(l2: float) -> None:
    """With L2 alone the end is a ridge regression's; the solver takes 1 for less."""
    found = trained("squared_loss", symmetric_l2_regularization=l2)
    x, y, w = matrix(), np.array(LABELS["squared_loss"]), np.array(WEIGHTS)
    best = np.linalg.solve(x.T @ (w[:, None] * x) + max(l2, 1) * np.eye(9), x.T @ (w * y))
    np.testing.assert_allclose(found["all"], best, atol=1e-3)
    np.testing.assert_allclose(found["predictions"], x @ best, atol=2e-3)
    error = (w * (y - x @ best) ** 2).sum() / (2 * w.sum())
    np.testing.assert_allclose(found["loss"], error, atol=1e-3)
    np.testing.assert_allclose(found["whole"], error + l2 / 2 * best @ best / w.sum(), atol=1e-3)


def test_the_l1_norm_shrinks() -> None:
    """At the least loss a slope is `l1` where a weight is none, and no more where it is zero."""
    l1 = {"symmetric_l1_regularization": 0.5, "adaptive": False}
    found = trained("squared_loss", steps=80, **l1)
    x, y, w = matrix(), np.array(LABELS["squared_loss"]), np.array(WEIGHTS)
    best = found["all"]
    slopes = x.T @ (w * (y - x @ best)) - best
    assert 2 < np.count_nonzero(best == 0) < 7
    np.testing.assert_allclose(slopes[best != 0], 0.5 * np.sign(best[best != 0]), atol=3e-3)
    assert np.abs(slopes[best == 0]).max() < 0.503
    error = (w * (y - x @ best) ** 2).sum() / 2 + 0.5 * np.abs(best).sum() + best @ best / 2
    np.testing.assert_allclose(found["whole"], error / w.sum(), atol=1e-3)


def test_parts_and_shards_change_nothing() -> None:
    regularized = {"symmetric_l1_regularization": 0.05, "symmetric_l2_regularization": 2.0}
    found = trained("logistic_loss", is_parted=True, num_table_shards=3, **regularized)
    plain = trained("logistic_loss", **regularized)
    np.testing.assert_allclose(found["v0"], plain["v0"], atol=2e-3)
    # What TensorFlow 1.15 prints.
    np.testing.assert_allclose(found["predictions"], [0.2763, 0.7155, 0.7535, 0.2498], atol=2e-3)
    np.testing.assert_allclose([found["loss"], found["whole"]], [0.3155, 0.4584], atol=2e-3)
    assert found["names"][:6] == [f"m/{each}/part_{n}" for each in ("v0", "v1", "d0") for n in "01"]
    assert found["names"][6] == "m/v0/part_0_unshrinked/SDCAOptimizer"
    assert plain["names"][3] == "m/v0_unshrinked/SDCAOptimizer"
    assert plain["tensors"]["predictions"] == "sdca/logistic_prediction/Sigmoid"
    assert plain["tensors"]["gap"] == "sdca/approximate_duality_gap_1/truediv"


def test_what_is_refused() -> None:
    given: dict[str, Any] = dict.fromkeys(
        ("sparse_features", "dense_features", "example_labels", "example_weights", "example_ids")
    )
    given = {name: [] for name in given}
    weights: dict[str, Any] = {"sparse_features_weights": [], "dense_features_weights": []}
    fine = options("squared_loss")
    for arguments, text in (
        (({}, weights, fine), "examples, variables and options must all be specified."),
        ((given, weights, options("x")), "Unsupported loss_type: "),
        (
            (given, weights, fine | {"symmetric_l1_regularization": -1.0}),
            r"symmetric_l1_regularization should be non-negative. Found \(-1.000000\)",
        ),
        ((given | {"dense_features": 3}, weights, fine), "dense_features must be a list."),
        ((given | {"example_ids": None}, weights, fine), "example_ids must be specified."),
        (
            (given, weights | {"sparse_features_weights": ()}, fine),
            "sparse_features_weights must be a list.",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            lo.SdcaModel(*arguments)
    with tf.Graph().as_default():
        ids = tf.placeholder(tf.string, [None])
        weight = tf.Variable(tf.zeros([2]))
        weights = {"sparse_features_weights": [], "dense_features_weights": [weight]}
        dense = given | {"dense_features": [DENSE], "example_ids": ids}
        with pytest.raises(ValueError, match="Key shape must be fully defined"):
            lo.SdcaModel(dense, weights, fine).minimize()
