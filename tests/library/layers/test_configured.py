"""Configurations and masks of tf.layers' classes, which TensorFlow 1.15 has and 2.21 has not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

_NONE = dict.fromkeys(
    ("activity_regularizer", "bias_regularizer", "kernel_regularizer", "bias_constraint",
     "kernel_constraint", "kernel_initializer", "dtype")
)  # fmt: skip
_ZEROS = {"class_name": "Zeros", "config": {"dtype": "float32"}}
_ONES = {"class_name": "Ones", "config": {"dtype": "float32"}}
_WEIGHTED = {**_NONE, "activation": "linear", "bias_initializer": _ZEROS, "use_bias": True}
_PLACED = {"data_format": "channels_last", "padding": "valid"}
# As 1.15 told them.
_TOLD: dict[str, tuple[Any, dict[str, Any]]] = {
    "Dense": (
        lambda: tf.layers.Dense(3, tf.nn.relu, kernel_initializer=tf.zeros_initializer()),
        {**_WEIGHTED, "units": 3, "activation": "relu", "kernel_initializer": _ZEROS},
    ),
    "Conv1D": (
        lambda: tf.layers.Conv1D(2, 3),
        {**_WEIGHTED, **_PLACED, "filters": 2, "kernel_size": (3,), "strides": (1,),
         "dilation_rate": (1,)},
    ),
    "MaxPooling2D": (
        lambda: tf.layers.MaxPooling2D(2, 2),
        {**_PLACED, "pool_size": (2, 2), "strides": (2, 2), "dtype": None},
    ),
    "Dropout": (
        lambda: tf.layers.Dropout(0.3),
        {"rate": 0.3, "noise_shape": None, "seed": None, "dtype": None},
    ),
    "Flatten": (lambda: tf.layers.Flatten(), {"data_format": "channels_last", "dtype": None}),
    "BatchNormalization": (
        lambda: tf.layers.BatchNormalization(axis=[-1]),
        {"axis": [-1], "momentum": 0.99, "epsilon": 0.001, "center": True, "scale": True,
         "beta_initializer": _ZEROS, "gamma_initializer": _ONES, "moving_mean_initializer": _ZEROS,
         "moving_variance_initializer": _ONES, "beta_regularizer": None, "gamma_regularizer": None,
         "beta_constraint": None, "gamma_constraint": None, "dtype": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _TOLD)
def test_configurations(name: str) -> None:
    make, wanted = _TOLD[name]
    layer = make()
    config = layer.get_config()
    assert config == {**wanted, "name": layer.name, "trainable": True}
    again = type(layer).from_config(config)
    assert again.get_config() == config and again.name == layer.name


def test_a_layer_made_again_gives_the_same() -> None:
    x = tf.constant(np.arange(8.0, dtype="f").reshape(2, 4))
    layer = tf.layers.Dense(3, tf.nn.relu, kernel_initializer=tf.ones_initializer(), name="a")
    first = layer(x)
    second = tf.layers.Dense.from_config({**layer.get_config(), "name": "b"})(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, other = session.run([first, second])
    assert (one == other).all() and one[1, 0] == 22.0


def test_classes_of_programs() -> None:
    class Plain(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs * 2

    class Taking(tf.layers.Layer):
        def __init__(self, factor: float, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.factor = factor

    class Further(tf.layers.Dense):
        def __init__(self, size: int) -> None:
            super().__init__(size * 2)

    plain = Plain(name="p")
    assert plain.get_config() == {"name": "p", "trainable": True, "dtype": None}
    with pytest.raises(NotImplementedError, match="with arguments in `__init__` must override"):
        Taking(2.0).get_config()
    assert Further(2).get_config()["units"] == 4


def test_masks() -> None:
    dense, pooling = tf.layers.Dense(3), tf.layers.MaxPooling1D(2, 2)
    x = tf.placeholder("float32", [None, 4])
    assert dense.supports_masking and dense.compute_mask(x, x) is x
    assert not pooling.supports_masking and pooling.compute_mask(x) is None
    with pytest.raises(TypeError, match="does not support masking, but was passed an input_mask"):
        pooling.compute_mask(x, x)
    with pytest.raises(AttributeError, match="is not connected, no input to return"):
        _ = dense.input_mask
    dense(x)
    assert dense.input_mask is dense.output_mask is None
    assert dense.get_input_mask_at(0) is dense.get_output_mask_at(0) is None
    assert not dense.dynamic and dense.submodules == ()
    assert dense.inbound_nodes == dense.outbound_nodes == []
