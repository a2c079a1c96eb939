"""tf.contrib.kernel_methods: the kernel that features approximate, the loss, the classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import kernel_methods
from dataflow.contrib.kernel_methods.mappers import InvalidShapeError


def test_features_approximate_the_kernel() -> None:
    x = np.random.RandomState(0).normal(size=[6, 5]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        mapper = kernel_methods.RandomFourierFeatureMapper(5, 20000, stddev=2.0, name="wide")
        first, again = session.run([mapper.map(tf.constant(x)), mapper.map(tf.constant(x))])
        assert (mapper.name, mapper.input_dim, mapper.output_dim) == ("wide", 5, 20000)
        np.testing.assert_array_equal(first, again)
        away = ((x[:, None] - x[None]) ** 2).sum(-1)
        np.testing.assert_allclose(first @ first.T, np.exp(-away / 8), atol=0.03)
        other = kernel_methods.RandomFourierFeatureMapper(5, 4, seed=2)
        assert other.name == str(id(other))
        with pytest.raises(InvalidShapeError, match=r"should be 2\. Got 1 instead"):
            mapper.map(tf.zeros([5]))
        with pytest.raises(InvalidShapeError, match="expected 5 input features, got 4 instead"):
            mapper.map(tf.zeros([2, 4]))


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("weights", [1.0, 0.5, [1.0, 2.0, 0.0]])
def test_hinge_loss(weights: Any, column: bool) -> None:
    logits = np.array([[1.2, -1.4, -1.0], [1.4, 1.8, 4.0], [0.5, 1.8, -1.0]], np.float32)
    labels = np.array([0, 1, 2])
    others = np.where(np.eye(3)[labels] > 0, -np.inf, logits).max(1)
    each = np.maximum(0, 1 + others - logits[np.arange(3), labels])
    weight = np.broadcast_to(weights, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        loss = kernel_methods.sparse_multiclass_hinge_loss(
            tf.constant(labels[:, None] if column else labels), tf.constant(logits), weights
        )
        assert tf.losses.get_losses() == [loss]
        expected = (each * weight).sum() / np.count_nonzero(weight)
        assert session.run(loss) == pytest.approx(expected, rel=1e-5)
        bad = kernel_methods.sparse_multiclass_hinge_loss(
            tf.placeholder_with_default([3], [None]), tf.constant(logits[:1])
        )
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(bad)


@pytest.mark.parametrize(
    "labels, logits, weights, message",
    [
        ([0], [1.0], 1.0, "logits should have rank 2"),
        ([0.0], [[1.0]], 1.0, "Invalid dtype for labels"),
        ([[[0]]], [[1.0]], 1.0, "labels should have rank 1"),
        ([0], [[1.0]], [[[1.0]]], "non-scalar weights should have rank 1"),
        ([0], [[1.0]], [1.0, 2.0], "are incompatible"),
    ],
)
def test_what_the_loss_refuses(labels: Any, logits: Any, weights: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        kernel_methods.sparse_multiclass_hinge_loss(labels, logits, weights)


def test_classifier(tmp_path: Path) -> None:
    # No line parts the classes, a circle does.
    x = np.random.RandomState(0).uniform(-1, 1, [200, 2]).astype(np.float32)
    labels = ((x**2).sum(1, keepdims=True) < 0.5).astype(np.int64)
    column = tf.contrib.layers.real_valued_column("x", 2)
    input_fn = lambda: ({"x": tf.constant(x)}, tf.constant(labels))  # noqa: E731
    found = {}
    for name, mappers in (
        ("plain", None),
        ("mapped", {column: [kernel_methods.RandomFourierFeatureMapper(2, 50, 0.5)]}),
    ):
        made = kernel_methods.KernelLinearClassifier(
            [column], str(tmp_path / name), optimizer="Adagrad", kernel_mappers=mappers
        )
        made.fit(input_fn=input_fn, steps=120)
        found[name] = made.evaluate(input_fn=input_fn, steps=1)["accuracy"]
    assert found["mapped"] > 0.9 > found["plain"]
    assert made.get_variable_value("linear/x_MAPPED/weight").shape == (50, 1)
    each = made.predict_classes(input_fn)
    first = next(each)
    each.close()
    each = made.predict_proba(input_fn)
    assert first == next(each).argmax()
    each.close()
    with pytest.raises(ValueError, match="at least one of feature_columns, kernel_mappers"):
        kernel_methods.KernelLinearClassifier()
    with pytest.raises(ValueError, match="Invalid kernel mappers"):
        kernel_methods.KernelLinearClassifier(kernel_mappers={column: [1]})
