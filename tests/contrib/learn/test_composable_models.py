"""Composable models: variables, rates and summaries as TensorFlow 1.15 makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers
from dataflow.contrib.learn.composable_model import DNNComposableModel, LinearComposableModel

X = np.random.RandomState(0).rand(6, 3).astype(np.float32)


def features() -> dict[str, Any]:
    places = [[i, 0] for i in range(6)]
    letters = tf.SparseTensor(places, ["ab"[i % 2] for i in range(6)], [6, 1])
    return {"x": tf.constant(X), "s": letters}


def columns() -> tuple[Any, Any]:
    return layers.real_valued_column("x", 3), layers.sparse_column_with_hash_bucket("s", 5)


def saved(folder: Path, model: Any, loss: Any) -> dict[str, Any]:
    """The variables before a step of training, and the folder has them after it."""
    (step,) = model.get_train_step(loss)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        variables = {each.op.name: each for each in tf.global_variables()}
        before: dict[str, Any] = session.run(variables)
        session.run(step)
        saver.save(session, str(folder / "model"))
    return before


def test_a_linear_model(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        model = LinearComposableModel(2, gradient_clip_norm=1.0)
        logits = model.build_model(features(), columns(), True)
        assert logits.name == "linear/linear/BiasAdd:0"
        before = saved(tmp_path, model, tf.reduce_mean(logits))
        assert sorted(before) == [
            "linear/bias_weight/part_0",
            "linear/bias_weight/part_0/Ftrl",
            "linear/bias_weight/part_0/Ftrl_1",
            "linear/s/weights/part_0",
            "linear/s/weights/part_0/Ftrl",
            "linear/s/weights/part_0/Ftrl_1",
            "linear/x/weight/part_0",
            "linear/x/weight/part_0/Ftrl",
            "linear/x/weight/part_0/Ftrl_1",
        ]
        assert tf.get_collection("linear") == tf.trainable_variables()
        found = model.get_weights(str(tmp_path))
    assert sorted(found) == ["linear/s/weights", "linear/x/weight"]
    # The norm of all gradients is cut to 1, and Ftrl begins with 0.1.
    slopes = np.array([*(X.sum(0) / 12), 0.25, 0.25, 0.5], np.float64)
    slopes /= max(1.0, np.sqrt(2) * np.linalg.norm(slopes))
    moved = -0.2 * slopes / np.sqrt(0.1 + slopes**2)
    np.testing.assert_allclose(found["linear/x/weight"][:, 0], moved[:3], rtol=1e-5)
    np.testing.assert_allclose(model.get_bias(str(tmp_path)), moved[[5, 5]], rtol=1e-5)


def test_joint_weights_by_the_name_of_an_optimizer(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        model = LinearComposableModel(
            2, "Adagrad", _joint_weights=True, scope="mine", num_ps_replicas=2
        )
        logits = model.build_model(features(), columns()[1:], False)
        assert model.get_scope_name() == "mine" and logits.name == "mine/mine/BiasAdd:0"
        saved(tmp_path, model, tf.reduce_mean(logits))
        found = model.get_weights(str(tmp_path))
    # Adagrad's rate is 0.2, and it begins with 0.1.
    moved = -0.2 * 0.25 / np.sqrt(0.1 + 0.25**2)
    assert found.shape == (5, 2)
    np.testing.assert_allclose(sorted(found[:, 0])[:2], [moved, moved], rtol=1e-5)


def test_a_net(tmp_path: Path) -> None:
    x, letters = columns()
    with tf.Graph().as_default():
        model = DNNComposableModel(2, [4, 3], dropout=0.5, num_ps_replicas=2)
        logits = model.build_model(features(), [x, layers.embedding_column(letters, 2)], True)
        tags = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        assert tags == [
            f"{scope}/{kind}"
            for scope in ("dnn/hiddenlayer_0", "dnn/hiddenlayer_1", "logits")
            for kind in ("fraction_of_zero_values", "activation")
        ]
        types = [each.type for each in tf.get_default_graph().get_operations()]
        assert {"Floor", "GreaterEqual"} & set(types)
        before = saved(tmp_path, model, tf.reduce_mean(logits))
        weights, biases = model.get_weights(str(tmp_path)), model.get_bias(str(tmp_path))
    assert [each.shape for each in weights] == [(5, 4), (4, 3), (3, 2)]
    assert [each.shape for each in biases] == [(4,), (3,), (2,)]
    assert "dnn/input_from_feature_columns/s_embedding/weights/part_0" in before
    moved = -0.05 * 0.5 / np.sqrt(0.1 + 0.25)
    np.testing.assert_allclose(biases[2], [moved, moved], rtol=1e-5)


def test_without_dropout_and_training() -> None:
    with tf.Graph().as_default():
        model = DNNComposableModel(1, [2], activation_fn=None, dropout=0.5, trainable=False)
        model.build_model(features(), columns()[:1], False)
        types = [each.type for each in tf.get_default_graph().get_operations()]
        assert not {"Relu", "Floor", "GreaterEqual"} & set(types) and tf.trainable_variables() == []


def test_optimizers() -> None:
    made = tf.train.GradientDescentOptimizer(0.1)
    givers: tuple[Any, ...] = (made, lambda: made)
    for given in givers:
        with tf.Graph().as_default():
            model = LinearComposableModel(1, given)
            assert model.get_train_step(None) == []
            logits = model.build_model(features(), columns()[:1], True)
            (step,) = model.get_train_step(tf.reduce_sum(logits))
            assert step.name == "GradientDescent"


def test_what_is_refused() -> None:
    with tf.Graph().as_default():
        model = LinearComposableModel(1, "Nope")
        logits = model.build_model(features(), columns()[:1], True)
        with pytest.raises(KeyError, match="Nope"):
            model.get_train_step(tf.reduce_sum(logits))
        model = LinearComposableModel(1)
        with pytest.raises(ValueError, match="Column x is not supported"):
            model.build_model(features(), ["x"], True)
