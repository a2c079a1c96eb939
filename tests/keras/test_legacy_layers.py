"""Layers of tf.layers count as layers of tf.keras, as in TensorFlow 1.15, and stay what they are.

TensorFlow 2.21 has them apart: the values were recorded from TensorFlow 1.15.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import pytest

import dataflow as tf

_KERAS = tf.keras.layers.Layer


def _metrics(name: str | None, aggregation: str | None) -> list[str]:
    layer: Any = tf.layers.Dense(3)
    layer.add_metric(tf.ones(()), name=name, aggregation=aggregation)
    return [each.name for each in layer.metrics]


def test_they_are_layers_of_keras() -> None:
    for layer in (tf.layers.Dense(3), tf.layers.MaxPooling1D(2, 2), tf.nn.rnn_cell.GRUCell(3)):
        assert isinstance(layer, _KERAS)
    assert issubclass(tf.layers.Layer, _KERAS)
    assert type(_KERAS) is type


def test_layers_of_keras_are_none_of_theirs() -> None:
    for layer in (tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()):
        assert not isinstance(layer, tf.layers.Layer)


def test_classes_of_both_kinds_and_of_other_metaclasses_can_be_made() -> None:
    class Marked(type):
        pass

    class Theirs(tf.layers.Dense, abc.ABC):
        pass

    class Ours(tf.keras.layers.Layer, metaclass=Marked):
        pass

    class Both(tf.layers.Layer, tf.keras.layers.Layer):
        pass

    assert [each.__name__ for each in Both.__mro__[1:3]] == ["Layer", "Layer"]
    assert isinstance(Theirs(2), tf.keras.layers.Layer)
    assert isinstance(Ours, Marked)


def test_models_refuse_them_still() -> None:
    with pytest.raises(TypeError, match=r"The following are legacy tf\.layers\.Layers:"):
        tf.keras.Sequential([tf.layers.Dense(3)])
    given = tf.keras.Input((4,))
    with pytest.raises(TypeError, match=r"The following are legacy tf\.layers\.Layers:"):
        tf.keras.Model(given, tf.layers.Dense(3)(given))


def test_they_name_share_and_set_variables_as_before() -> None:
    layer: Any = tf.layers.Dense(3)
    layer.kept = tf.Variable(1.0, name="kept")
    given = tf.ones((2, 4))
    with tf.variable_scope("outer"):
        layer(given)
        again = tf.layers.dense(given, 3, name="dense", reuse=True)
    assert [each.name for each in layer.weights] == ["outer/dense/kernel:0", "outer/dense/bias:0"]
    assert again.op.name == "outer/dense_1/BiasAdd"
    assert layer.input_spec.axes == {-1: 4}
    assert layer.get_config()["units"] == 3
    assert not hasattr(layer, "name_scope")
    assert not hasattr(layer, "_checkpoint_children")
    with pytest.raises(AttributeError, match="'Dense' object has no attribute '_layers'"):
        getattr(layer, "_layers")  # noqa: B009
    del layer.kept


def test_metrics_are_added() -> None:
    assert _metrics("mean_of_ones", "mean") == ["mean_of_ones"]
    with pytest.raises(ValueError, match="We do not support adding an aggregated metric result"):
        _metrics("b", None)
    with pytest.raises(ValueError, match="Please provide a name for your metric"):
        _metrics(None, "mean")
    with pytest.raises(ValueError, match="We currently support only `mean` sample-wise metric"):
        _metrics("b", "max")


def test_output_signatures() -> None:
    layer: Any = tf.layers.Dense(3)
    signature = layer.compute_output_signature(tf.TensorSpec((2, 4), tf.float32))
    assert signature == tf.TensorSpec((2, 3), tf.float32)


def test_wrappers_take_them() -> None:
    layer = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer())
    outputs = tf.keras.layers.TimeDistributed(layer)(tf.ones((2, 3, 4)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(outputs), np.full((2, 3, 3), 4.0))


def test_losses_of_one_in_a_layer_of_keras() -> None:
    class Around(tf.keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = tf.layers.Dense(3, kernel_regularizer=tf.reduce_sum)

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    layer: Any = Around()
    layer(tf.ones((2, 4)))
    assert len(layer.losses) == len(layer.get_losses_for(None)) == 1
    assert layer.get_updates_for(None) == []
    assert len(layer.weights) == 2


def test_each_layer_counts_as_its_kin() -> None:
    older, newer = tf.layers, tf.keras.layers
    pairs = [
        (older.Dense(3), newer.Dense),
        (older.Conv2D(3, 3), newer.Conv2D),
        (older.Conv2DTranspose(1, 1), newer.Conv2DTranspose),
        (older.Conv2DTranspose(1, 1), newer.Conv2D),
        (older.Conv3DTranspose(1, 1), newer.Conv3D),
        (older.SeparableConv1D(1, 1), newer.SeparableConv1D),
        (older.BatchNormalization(), newer.BatchNormalization),
        (older.Dropout(), newer.Dropout),
        (older.Flatten(), newer.Flatten),
        (older.MaxPooling2D(2, 2), newer.MaxPooling2D),
        (older.AveragePooling1D(2, 2), newer.AveragePooling1D),
    ]
    assert all(isinstance(layer, kind) for layer, kind in pairs)
    assert not isinstance(newer.Dense(3), older.Dense)
    own = type("Own", (newer.Dense,), {})
    assert isinstance(own(3), newer.Dense) and not isinstance(older.Dense(3), own)
