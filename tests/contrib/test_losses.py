"""tf.contrib.losses and metric_learning against tf_slim's: values and gradients."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import losses, slim
from tests.contrib.oracle import tf_slim
from tests.oracle import open_session

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(1)
A, B = RANDOM.standard_normal((2, 4, 3)).astype(np.float32)
SHARES = RANDOM.uniform(0.1, 0.9, (4, 3)).astype(np.float32)
ONES = (RANDOM.uniform(size=(4, 3)) > 0.5).astype(np.float32)
ROW_WEIGHTS = np.array([1, 0, 2, 0.5], np.float32)
UNIT = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in (A, B)]

CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "absolute_difference": ("absolute_difference", A, {"labels": B}),
    "sigmoid_cross_entropy": (
        "sigmoid_cross_entropy",
        A,
        {"multi_class_labels": ONES, "label_smoothing": 0.1},
    ),
    "softmax_cross_entropy": (
        "softmax_cross_entropy",
        A,
        {"onehot_labels": np.eye(3, dtype=np.float32)[[0, 2, 1, 1]], "label_smoothing": 0.1},
    ),
    "sparse_softmax_cross_entropy": (
        "sparse_softmax_cross_entropy",
        A,
        {"labels": np.array([0, 2, 1, 1])},
    ),
    "sparse, one behind": (
        "sparse_softmax_cross_entropy",
        A,
        {"labels": np.array([[0], [2], [1], [1]])},
    ),
    "log_loss": ("log_loss", SHARES, {"labels": ONES, "epsilon": 1e-3}),
    "mean_squared_error": ("mean_squared_error", A, {"labels": B}),
    "mean_pairwise_squared_error": ("mean_pairwise_squared_error", A, {"labels": B}),
    "cosine_distance": ("cosine_distance", UNIT[0], {"labels": UNIT[1], "axis": 1}),
    "compute_weighted_loss": ("compute_weighted_loss", A, {}),
}


def value_and_gradient(lib: Any, function: Any, array: Any, rest: dict[str, Any]) -> list[Any]:
    with lib.Graph().as_default():
        values = lib.constant(array)
        rest = {k: lib.constant(v) if isinstance(v, np.ndarray) else v for k, v in rest.items()}
        loss = function(values, **rest)
        assert lib.get_collection("losses") in ([loss], [])
        found = [loss, *lib.gradients(loss, values), len(lib.get_collection("losses"))]
        with open_session(lib) as session:
            return [*session.run(found[:2]), found[2]]


@pytest.mark.parametrize("case", CASES)
def test_as_in_tf_slim(case: str) -> None:
    name, array, rest = CASES[case]
    ours, theirs = getattr(losses, name), getattr(tf_slim.losses, name)
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    rows = ROW_WEIGHTS[:, None] if name == "cosine_distance" else ROW_WEIGHTS
    for weights in ({}, {"weights": 0.5}, {"weights": rows}):
        have = value_and_gradient(tf, ours, array, rest | weights)
        want = value_and_gradient(tf1, theirs, array, rest | weights)
        for mine, other in zip(have, want, strict=True):
            np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 1), (4, 3, 1)])
def test_weights_are_of_leading_axes(shape: tuple[int, ...]) -> None:
    """Each loss times the weight of its place, over how many have one other than 0."""
    values = RANDOM.standard_normal((4, 3, 2)).astype(np.float32)
    weights = np.abs(RANDOM.standard_normal(shape)).astype(np.float32)
    weights.flat[1:2] = 0
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(losses.compute_weighted_loss(tf.constant(values), weights))
    leading = weights[..., 0] if len(shape) > 1 and shape[-1] == 1 else weights
    each = np.broadcast_to(leading.reshape(leading.shape + (1,) * (3 - leading.ndim)), (4, 3, 2))
    np.testing.assert_allclose(found, (values * each).sum() / (each != 0).sum(), rtol=1e-5)


def test_losses_of_rank_one_behind() -> None:
    """The axis of the vectors is gone before weights are looked at."""
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = map(tf.constant, UNIT)
        loss = losses.cosine_distance(a, b, axis=1, weights=ROW_WEIGHTS)
        have = session.run(loss)
        assert loss.op.name == "cosine_distance_loss/value"
        with tf.contrib.framework.arg_scope([losses.add_loss], loss_collection=None):
            losses.absolute_difference(a, b)
        assert tf.get_collection(tf.GraphKeys.LOSSES) == [loss]
        assert not tf.get_collection(None)
        with pytest.raises(ValueError, match=r"weights\.get_shape\(\)\.ndims cannot be None"):
            losses.log_loss(a, b, tf.placeholder(tf.float32))
        with pytest.raises(ValueError, match=r"losses\.get_shape"):
            losses.mean_squared_error(tf.placeholder(tf.float32), tf.placeholder(tf.float32))
        with pytest.raises(ValueError, match="are incompatible"):
            losses.hinge_loss(a, tf.ones([2, 2]))
    want = ((1 - (UNIT[0] * UNIT[1]).sum(1)) * ROW_WEIGHTS).sum() / 3
    np.testing.assert_allclose(have, want, rtol=1e-5)


def test_hinge_loss() -> None:
    have = value_and_gradient(tf, losses.hinge_loss, A, {"labels": ONES})
    want = value_and_gradient(tf1, tf_slim.losses.hinge_loss, A, {"labels": ONES})
    for mine, other in zip(have, want, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5)


LABELS = np.array([0, 1, 0, 1], np.int32)
MASK = np.isin(np.arange(A.size).reshape(A.shape) % 3, (0, 1)).astype(np.float32)

EMBEDDINGS: dict[str, Any] = {
    "contrastive_loss": lambda m, lib, x: m.contrastive_loss(LABELS, x, lib.constant(B), 1.5),
    "triplet_semihard_loss": lambda m, lib, x: m.triplet_semihard_loss(LABELS, x, 0.7),
    "lifted_struct_loss": lambda m, lib, x: m.lifted_struct_loss(LABELS, x, 1.2),
    "npairs_loss": lambda m, lib, x: m.npairs_loss(np.arange(4), x, lib.constant(B), 0.1),
    "pairwise_distance": lambda m, lib, x: m.pairwise_distance(x * A[:, :1]),
    "pairwise_distance, squared": lambda m, lib, x: m.pairwise_distance(x, squared=True),
    "masked_maximum": lambda m, lib, x: m.masked_maximum(x, lib.constant(MASK)),
    "masked_minimum": lambda m, lib, x: m.masked_minimum(x, lib.constant(MASK), 0),
}


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_embeddings(name: str) -> None:
    for scale in (1.0, 0.2, 5.0):
        found = [
            value_and_gradient(
                lib, lambda x, m=m, lib=lib: EMBEDDINGS[name](m, lib, x), A * scale, {}
            )
            for lib, m in ((tf, losses.metric_learning), (tf1, tf_slim.losses.metric_learning))
        ]
        for mine, other in zip(*found, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-6)


def test_pairs_with_sets_of_classes() -> None:
    sets = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]], bool)
    with tf.Graph().as_default(), tf.Session() as session:
        labels = []
        for row in sets:
            at = np.flatnonzero(row)[:, None]
            labels.append(tf.SparseTensor(at, np.ones(len(at), bool), [3]))
        found = session.run(losses.metric_learning.npairs_loss_multilabel(labels, A, B, 0.1))
        with pytest.raises(TypeError, match="sparse_labels must be a list of SparseTensors"):
            losses.metric_learning.npairs_loss_multilabel([1], A, B)
    common = sets.astype(float) @ sets.T.astype(float)
    common /= common.sum(1, keepdims=True)
    products = A.astype(float) @ B.T
    logs = products - np.log(np.exp(products).sum(1, keepdims=True))
    squares = (A**2).sum(1).mean() + (B**2).sum(1).mean()
    assert found == pytest.approx(0.025 * squares - (common * logs).sum(1).mean(), rel=1e-5)


def test_total() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        losses.add_loss(tf.constant(1.0))
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(2.0))
        assert session.run(losses.get_total_loss()) == 3.0
        assert session.run(losses.get_total_loss(add_regularization_losses=False)) == 1.0
        assert slim.losses is losses
        with pytest.raises(ValueError, match="You must specify 'axis'"):
            losses.cosine_distance(A, B)
