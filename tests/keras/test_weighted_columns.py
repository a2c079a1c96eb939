"""The linear model of feature columns as a model of tf.keras; recorded of TensorFlow 1.15."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings.columns.linear_models import LinearModel

columns = tf.feature_column


def test_names_and_sums() -> None:
    price = columns.numeric_column("price", shape=2)
    wire = columns.categorical_column_with_hash_bucket("wire", 4)
    model = LinearModel([price, wire], units=3)
    words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["omar", "stringer", "marlo"], [2, 2])
    features = {"price": tf.constant([[1.0, 2.0], [5.0, 6.0]]), "wire": words}
    sums = model(features)
    assert sums.name == "linear_model/linear_model/linear_model/weighted_sum:0"
    names = ["linear_model/price/weights:0", "linear_model/wire/weights:0"]
    assert [each.name for each in model.variables] == [*names, "linear_model/bias_weights:0"]
    assert model.bias is model.variables[2]
    model(features)
    assert len(model.variables) == len(tf.global_variables()) == len(tf.trainable_variables()) == 3
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(model.bias.assign([7.0, 8.0, 9.0]))
        session.run(model.variables[0].assign([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
        assert session.run(sums).tolist() == [[28.0, 50.0, 72.0], [72.0, 138.0, 204.0]]


def test_training() -> None:
    model = LinearModel([columns.numeric_column("a")])
    model.compile("sgd", "mse")
    rows = {"a": np.arange(4.0).reshape(4, 1)}
    options = {"epochs": 2, "batch_size": 4, "verbose": 0, "shuffle": False}
    losses = model.fit(rows, np.ones((4, 1)), **options).history["loss"]
    np.testing.assert_allclose(losses, [1.0, 0.87535], rtol=1e-6)
    weights = model.get_weights()
    np.testing.assert_allclose(weights[0], [[0.0573]], rtol=1e-5)
    np.testing.assert_allclose(weights[1], [0.0387], rtol=1e-5)


def test_what_is_not_trained() -> None:
    model = LinearModel([columns.numeric_column("a")], trainable=False, name="q")
    assert model.bias is None
    model({"a": tf.ones([2, 1])})
    assert [each.name for each in model.variables] == ["q/a/weights:0", "q/bias_weights:0"]
    assert not model.trainable_variables and not tf.trainable_variables()


def test_refused() -> None:
    price = columns.numeric_column("price")
    with pytest.raises(ValueError, match=r"must be a FeatureColumn\. Given \(type"):
        LinearModel(["price"])
    with pytest.raises(ValueError, match="feature_columns must not be empty"):
        LinearModel([])
    with pytest.raises(ValueError, match="Duplicate feature column name"):
        LinearModel([price, columns.numeric_column("price")])
    with pytest.raises(ValueError, match="We expected a dictionary here"):
        LinearModel([price])([1.0])
