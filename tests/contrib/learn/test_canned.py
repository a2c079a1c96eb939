"""Canned estimators of tf.contrib.learn: what TensorFlow 1.15's checkpoints and graphs hold."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers, learn

X = np.random.RandomState(0).rand(40, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)[:, None]


def inputs() -> Any:
    letters = tf.constant(list("abc" * 13 + "a"))
    places = tf.stack([tf.range(40, dtype=tf.int64), tf.zeros([40], tf.int64)], 1)
    return {"x": tf.constant(X), "s": tf.SparseTensor(places, letters, [40, 1])}, tf.constant(Y)


def dense() -> list[Any]:
    return [layers.real_valued_column("x", 3)]


def names(est: Any) -> list[str]:
    est.fit(input_fn=inputs, steps=1)
    found: list[str] = est.get_variable_names()
    return found


def test_linear_checkpoints(tmp_path: Path) -> None:
    est = learn.LinearClassifier(dense(), str(tmp_path), enable_centered_bias=True)
    assert names(est) == [
        "global_step",
        "linear/bias_weight",
        "linear/bias_weight/d/linear/bias_weight/part_0/Ftrl",
        "linear/bias_weight/d/linear/bias_weight/part_0/Ftrl_1",
        "linear/binary_logistic_head/centered_bias_weight",
        "linear/binary_logistic_head/linear/binary_logistic_head/centered_bias_weight/Adagrad",
        "linear/x/weight",
        "linear/x/weight/head/linear/x/weight/part_0/Ftrl",
        "linear/x/weight/head/linear/x/weight/part_0/Ftrl_1",
    ]
    est.fit(input_fn=inputs, steps=4)
    # The sums of squares of gradients that TensorFlow 1.15 has after five steps.
    found = est.get_variable_value("linear/x/weight/head/linear/x/weight/part_0/Ftrl")
    np.testing.assert_allclose(found[:, 0], [0.11126039, 0.13958961, 0.10445008], rtol=1e-5)


def test_checkpoints_of_nets(tmp_path: Path) -> None:
    est = learn.DNNRegressor([4], dense(), str(tmp_path))
    assert names(est) == [
        "dnn/hiddenlayer_0/biases",
        "dnn/hiddenlayer_0/biases/enlayer_0/biases/part_0/Adagrad",
        "dnn/hiddenlayer_0/weights",
        "dnn/hiddenlayer_0/weights/nlayer_0/weights/part_0/Adagrad",
        "dnn/logits/biases",
        "dnn/logits/biases/nn/logits/biases/part_0/Adagrad",
        "dnn/logits/weights",
        "dnn/logits/weights/n/logits/weights/part_0/Adagrad",
        "dnn/regression_head/dnn/learning_rate",
        "global_step",
    ]


def test_columns_of_tf_feature_column_have_its_names(tmp_path: Path) -> None:
    column = tf.feature_column.numeric_column("x", 3)
    found = names(learn.LinearRegressor([column], str(tmp_path)))
    assert "linear/linear_model/x/weights" in found


def test_joint_weights(tmp_path: Path) -> None:
    columns = [layers.sparse_column_with_hash_bucket("s", 5)]
    est = learn.LinearClassifier(columns, str(tmp_path), _joint_weight=True)
    found = names(est)
    assert [each for each in found if each.startswith("linear/linear_weights/weights")][1:]
    assert est.get_variable_value("linear/linear_weights/weights").shape == (5, 1)


def test_steps_of_both_models(tmp_path: Path) -> None:
    for once in (False, True):
        est = learn.DNNLinearCombinedClassifier(
            str(tmp_path / str(once)),
            linear_feature_columns=dense(),
            dnn_feature_columns=dense(),
            dnn_hidden_units=[2],
            fix_global_step_increment_bug=once,
        )
        est.fit(input_fn=inputs, steps=2)
        # As in 1.15: two steps of two, unless they count once.
        assert est.get_variable_value("global_step") == (2 if once else 4)
        summaries = {"dnn/hiddenlayer_0/biases", "linear/x/weight"}
        assert summaries <= set(est.get_variable_names())


def test_rates_of_embeddings(tmp_path: Path) -> None:
    column = layers.embedding_column(
        layers.sparse_column_with_hash_bucket("s", 5), 2, initializer=tf.ones_initializer()
    )
    est = learn.DNNClassifier(
        [2], [column], str(tmp_path), optimizer="SGD", embedding_lr_multipliers={column: 0.0}
    )
    est.fit(input_fn=inputs, steps=3)
    table = est.get_variable_value("dnn/input_from_feature_columns/s_embedding/weights")
    np.testing.assert_array_equal(table, np.ones([5, 2]))
    wrong = learn.DNNClassifier([2], dense(), embedding_lr_multipliers={dense()[0]: 0.5})
    with pytest.raises(ValueError, match="can only be defined for embedding columns"):
        wrong.fit(input_fn=inputs, steps=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: learn.DNNClassifier([2], dense(), activation_fn="elu"),
            r"Activation name should be one of \[relu, tanh, sigmoid\], you provided elu",
        ),
        (
            lambda: learn.DNNLinearCombinedRegressor(dnn_feature_columns=dense()),
            "dnn_hidden_units must be defined",
        ),
        (
            lambda: learn.DNNLinearCombinedRegressor(
                linear_feature_columns=dense(),
                linear_optimizer=tf.train.SyncReplicasOptimizer(
                    tf.train.GradientDescentOptimizer(0.1), 1
                ),
            ),
            "SyncReplicasOptimizer is not supported",
        ),
    ],
)
def test_wrong_models(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make().fit(input_fn=inputs, steps=1)


def own_model(x: Any, y: Any) -> Any:
    """A model function whose arguments have other names."""
    weights = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    found = tf.matmul(x["x"], weights)
    loss = (
        tf.constant(0.0) if y is None else tf.reduce_sum(tf.square(found - tf.cast(y, tf.float32)))
    )
    step = tf.train.GradientDescentOptimizer(0.1)
    return found, loss, step.minimize(loss, tf.train.get_global_step()) if y is not None else None


def test_predictions_end_with_a_batch(tmp_path: Path) -> None:
    est = learn.Estimator(own_model, str(tmp_path))
    with pytest.raises(learn.NotFittedError, match="Couldn't find trained model at"):
        est.predict(input_fn=inputs)
    with pytest.raises(learn.NotFittedError, match="Couldn't find trained model at"):
        est.evaluate(input_fn=inputs)
    est.fit(input_fn=inputs, steps=1)
    # Without queues the input is the same in each step.
    found = list(islice(est.predict(input_fn=inputs), 41))
    assert len(found) == 40
    np.testing.assert_array_equal(found, est.predict(input_fn=inputs, as_iterable=False))
    with pytest.raises(ValueError, match="outputs argument is not valid in case of non-dict"):
        est.predict(input_fn=inputs, outputs=["a"])


def test_the_loss_of_weighted_examples(tmp_path: Path) -> None:
    weights = np.linspace(0.0, 1.0, 40, dtype=np.float32)[:, None]

    def weighted() -> Any:
        return {"x": tf.constant(X), "w": tf.constant(weights)}, tf.constant(X[:, :1])

    est = learn.LinearRegressor(dense(), str(tmp_path), weight_column_name="w")
    est.fit(input_fn=weighted, steps=1)
    errors = np.square(np.stack(list(est.predict(input_fn=weighted))) - X[:, 0])
    # What is told is over the sum of the weights, what trains over the number of examples.
    expected = (errors * weights[:, 0]).sum() / weights.sum()
    assert est.evaluate(input_fn=weighted, steps=1)["loss"] == pytest.approx(expected, rel=1e-5)


def test_further_metrics(tmp_path: Path) -> None:
    est = learn.LinearClassifier(dense(), str(tmp_path))
    est.fit(input_fn=inputs, steps=2)
    accuracy = tf.contrib.metrics.streaming_accuracy
    found = est.evaluate(input_fn=inputs, steps=2, metrics={("same", "classes"): accuracy})
    assert found["same"] == found["accuracy"]
    with pytest.raises(ValueError, match="only name, no prediction, but predictions are dict"):
        est.evaluate(input_fn=inputs, steps=1, metrics={"same": accuracy})
    with pytest.raises(ValueError, match="expected 2"):
        est.evaluate(input_fn=inputs, steps=1, metrics={("a", "b", "c"): accuracy})
    with pytest.raises(ValueError, match="Metrics argument should be None or dict"):
        est.evaluate(input_fn=inputs, steps=1, metrics=[accuracy])


def test_fed_evaluations(tmp_path: Path) -> None:
    est = learn.Estimator(own_model, str(tmp_path))
    est.fit(input_fn=inputs, steps=1)
    weights = est.get_variable_value("w")

    def fed() -> Any:
        return {"x": tf.placeholder(tf.float32, [None, 3], "fed")}, tf.zeros([1, 1], tf.int32)

    # One that has trained knows that there is a feature "s", too.
    est = learn.Estimator(own_model, str(tmp_path))
    found = est.evaluate(input_fn=fed, feed_fn=lambda: {"fed:0": X[:1]}, steps=1)
    assert found["loss"] == pytest.approx(np.square(X[:1] @ weights).sum(), rel=1e-5)
    with pytest.raises(ValueError, match="Can not provide both feed_fn and x or y"):
        est.evaluate(X, Y, feed_fn=dict)


def test_functions_without_parameters(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not have a params argument"):
        learn.Estimator(own_model, str(tmp_path), params={"a": 1})
    wrong = learn.Estimator(lambda features, labels: (labels,), str(tmp_path))
    with pytest.raises(ValueError, match="please return ModelFnOps"):
        wrong.fit(input_fn=inputs, steps=1)
