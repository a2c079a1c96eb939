"""Keras-style layers: variables of their own, named by the open name scopes; and odd inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


def _names(layer: Any) -> list[str]:
    return [each.name for each in layer.weights]


def test_a_layer_has_weights_of_its_own(session_factory: Any) -> None:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        with tf.layers.experimental.keras_style_scope():
            layers = [
                tf.layers.Dense(3, name="dense", bias_regularizer=tf.reduce_sum) for _ in range(2)
            ]
        with tf.variable_scope("shared", reuse=tf.AUTO_REUSE):
            with tf.name_scope("bar"):
                outputs = [layer(tf.ones([2, 4])) for layer in layers]
            again = layers[0](tf.zeros([2, 4]))
        assert _names(layers[0]) == ["shared/bar/dense/kernel:0", "shared/bar/dense/bias:0"]
        assert _names(layers[1]) == ["shared/bar/dense_1/kernel:0", "shared/bar/dense_1/bias:0"]
        assert [each.op.name for each in layers[0].losses] == [
            "shared/bar/dense/bias/Regularizer/Sum"
        ]
        assert again.op.name == "shared/dense/BiasAdd"
        assert tf.trainable_variables() == [*layers[0].weights, *layers[1].weights]
        session = session_factory(graph)
        session.run(tf.global_variables_initializer())
        kernels = session.run([layer.kernel for layer in layers])
        for kernel, output in zip(kernels, session.run(outputs), strict=True):
            np.testing.assert_allclose(output, np.ones([2, 4]) @ kernel, rtol=1e-5)
        assert np.abs(kernels[0] - kernels[1]).max() > 0


def test_cells_are_layers_too() -> None:
    with tf.Graph().as_default(), tf.layers.experimental.keras_style_scope():
        cells = [tf.nn.rnn_cell.BasicLSTMCell(2, name="cell") for _ in range(2)]
        for cell in cells:
            cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
        assert _names(cells[0]) == ["cell/kernel:0", "cell/bias:0"]
        assert _names(cells[1]) == ["cell_1/kernel:0", "cell_1/bias:0"]


def test_scopes_and_reuse_are_refused() -> None:
    with tf.Graph().as_default(), tf.layers.experimental.keras_style_scope():
        with pytest.raises(ValueError, match="scope argument not allowed when keras style"):
            tf.layers.Layer(_scope="there")
        with pytest.raises(ValueError, match="reuse argument not allowed when keras style"):
            tf.layers.Layer(_reuse=True)
        with pytest.raises(ValueError, match="scope argument not allowed when keras style"):
            tf.layers.Layer()(tf.ones([2]), scope="there")
    with tf.Graph().as_default(), tf.variable_scope("v"):
        assert tf.layers.Layer(_scope="there").scope_name == "v/there"


@pytest.mark.parametrize("spec", [{"ndim": 2}, {"min_ndim": 1}, {"max_ndim": 3}])
def test_an_input_must_have_a_rank(spec: dict[str, Any]) -> None:
    with tf.Graph().as_default():
        layer = tf.layers.Layer(name="one")
        layer.input_spec = tf.layers.InputSpec(**spec)
        with pytest.raises(ValueError, match=r"rank is undefined.*requires a defined rank"):
            layer(tf.placeholder(tf.int32))
        layer.input_spec = tf.layers.InputSpec(axes={-1: 2})
        layer(tf.placeholder(tf.int32))


def test_only_weights_that_are_made_are_counted() -> None:
    with tf.Graph().as_default():
        dense = tf.layers.Dense(3)
        with pytest.raises(ValueError, match=r"`count_params`.*isn't built"):
            dense.count_params()
        dense.build((None, 4))
        assert dense.count_params() == 15
