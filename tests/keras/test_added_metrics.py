"""A Sequential holds added losses and metrics as layers: what TensorFlow 1.15 gives is expected."""

from __future__ import annotations

import numpy as np

import dataflow as tf
from dataflow.keras.engine.sequential import Sequential
from dataflow.keras.models import clone_model

keras = tf.keras
BESIDE = ["tf_op_layer_Sum", "add_metric", "tf_op_layer_Sum_1", "tf_op_layer_mul", "add_loss"]


def model_with_metric() -> Sequential:
    dense = keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")
    model = Sequential([dense])
    model.add_metric(keras.backend.sum(model.outputs[0]), name="s", aggregation="mean")
    model.add_loss(keras.backend.sum(model.outputs[0]) * 0.5)
    return model


def test_they_are_layers_of_the_model_and_of_its_clone() -> None:
    model = model_with_metric()
    for each in (model, clone_model(model)):
        assert [layer.name for layer in each.layers] == ["dense", *BESIDE]
        each.compile("sgd", "mse")
        assert each.metrics_names == ["loss", "s"]
        found = each.evaluate(np.ones((4, 2)), np.zeros((4, 1)), verbose=0)
        np.testing.assert_allclose(found, [8.0, 8.0])
        assert len(each.losses) == 1
    kinds = [each["class_name"] for each in model.get_config()["layers"]]
    op_layer = "TensorFlowOpLayer"
    assert kinds == ["Dense", op_layer, "AddMetric", op_layer, op_layer, "AddLoss"]


def test_a_further_layer_ends_them() -> None:
    model = model_with_metric()
    model.add(keras.layers.Dense(3, kernel_initializer="ones"))
    model.compile("sgd", "mse")
    assert [each.name for each in model.layers] == ["dense", "dense_1"]
    assert model.metrics_names == ["loss"]
    assert model.predict(np.ones((1, 2))).tolist() == [[2.0, 2.0, 2.0]]


def test_operations_between_layers_tell_shapes_in_lists() -> None:
    start = keras.Input((2,))
    model = keras.Model(start, start * 2.0)
    layer = model.layers[1]
    assert (layer.input_shape, layer.output_shape) == ([(None, 2)], [(None, 2)])
    assert layer.output is model.outputs[0]
    assert clone_model(model).predict(np.ones((1, 2))).tolist() == [[2.0, 2.0]]
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    assert "[(None, 2)]" in lines[6]
