"""What layers say of their losses: names and numbers of tensors as TensorFlow 1.15 has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


def _names(tensors: list[Any]) -> list[str]:
    return [each.op.name for each in tensors]


class Told(tf.keras.layers.Layer):
    """Adds losses of each kind."""

    def build(self, input_shape: Any) -> None:
        self.w = self.add_weight("w", (3,), regularizer=lambda w: 2.0 * w[0], initializer="ones")
        self.add_loss(lambda: self.w[1])
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        self.add_loss(inputs[0, 0], inputs=True)
        self.add_loss([lambda: None, 3.0, None])
        return inputs * self.w


def test_losses_of_variables_are_made_when_they_are_asked_for() -> None:
    with tf.Graph().as_default() as graph:
        layer = tf.keras.layers.Dense(
            2, kernel_regularizer=tf.keras.regularizers.l2(0.1), bias_regularizer="l1"
        )
        x = tf.placeholder(tf.float32, (None, 3))
        layer(x)
        assert not [each.name for each in graph.get_operations() if "Regularizer" in each.name]
        own = ["dense/kernel/Regularizer/add", "dense/bias/Regularizer/add"]
        assert _names(layer.losses) == own
        with tf.name_scope("outer"):
            assert _names(layer.get_losses_for(None)) == [
                "outer/dense/kernel/Regularizer/add",
                "outer/dense/bias/Regularizer/add",
            ]
        assert _names(layer.get_losses_for(x)) == []
        assert _names(layer.losses)[0] == "dense/kernel/Regularizer_2/add"
        assert tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == []


def test_those_of_outputs_come_first_and_functions_are_called_each_time() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = Told(name="told")
        x = tf.constant([[5.0, 6.0, 7.0]])
        layer(x)
        assert [each._unconditional_loss for each in layer.losses] == [False, True, True, True]
        first, second = layer.losses, layer.losses
        assert [a is b for a, b in zip(first, second, strict=True)] == [True, True, False, False]
        layer.w.initializer.run()
        assert session.run(first) == [5.0, 3.0, 2.0, 1.0]
        assert _names(layer.get_losses_for(x)) == [first[0].op.name]
        layer(x)
        assert len(layer.losses) == 6
        assert len(layer.get_losses_for(None)) == 4


def test_numbers_are_of_the_type_of_floats() -> None:
    with tf.Graph().as_default():
        layer = tf.keras.layers.Layer()
        tf.keras.backend.set_floatx("float64")
        try:
            layer.add_loss(lambda: 1)
            layer.add_loss(2)
            assert [each.dtype for each in layer.losses] == [tf.float64, tf.float64]
        finally:
            tf.keras.backend.set_floatx("float32")


def test_tapes_and_loops_and_functions_see_them() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.keras.layers.Dense(
            1, kernel_regularizer=tf.keras.regularizers.l2(0.5), kernel_initializer="ones"
        )
        layer(tf.ones((1, 3)))
        with tf.GradientTape() as tape:
            loss = tf.add_n(layer.losses)
        slopes = tape.gradient(loss, layer.kernel)
        total = tf.while_loop(
            lambda i, _: i < 3, lambda i, total: (i + 1, total + layer.losses[0]), [0, 0.0]
        )[1]
        (of_loop,) = tf.gradients(total, layer.kernel)
        called = tf.function(lambda: layer.losses[0])()
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(slopes), np.ones((3, 1)))
        assert session.run([total, called]) == [4.5, 1.5]
        np.testing.assert_allclose(session.run(of_loop), np.full((3, 1), 3.0))


def test_another_graph_refuses_them() -> None:
    with tf.Graph().as_default():
        layer = tf.keras.layers.Dense(2, kernel_regularizer=lambda w: tf.reduce_sum(tf.abs(w)))
        layer(tf.ones((1, 3)))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        print(layer.losses)


def test_compiling_makes_them_within_the_loss() -> None:
    with tf.Graph().as_default() as graph, tf.Session():
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(
                    1, kernel_regularizer="l2", kernel_initializer="ones", input_shape=(3,)
                )
            ]
        )
        model.add_loss(lambda: [[1.0, 3.0]])
        model.compile("sgd", "mse")
        regularizing = {
            each.name for each in graph.get_operations() if each.name.endswith("Regularizer/add")
        }
        assert regularizing == {"loss/dense/kernel/Regularizer/add"}
        # The mean of those that are several: 2, and 0.01 for each of three ones.
        loss = model.train_on_batch(np.ones((2, 3)), np.full((2, 1), 3.0))
        np.testing.assert_allclose(loss, 2.03, rtol=1e-6)


def test_layers_of_tf_layers_put_the_first_into_the_collection() -> None:
    with tf.Graph().as_default():
        regularizer = tf.keras.regularizers.l2(0.1)
        layer = tf.layers.Dense(2, kernel_regularizer=regularizer, activity_regularizer=regularizer)
        x = tf.placeholder(tf.float32, (None, 3))
        layer(x)
        key = tf.GraphKeys.REGULARIZATION_LOSSES
        collected = ["dense/kernel/Regularizer/add", "dense/ActivityRegularizer/truediv"]
        assert _names(tf.get_collection(key)) == collected
        own = "dense/ActivityRegularizer/truediv"
        assert _names(layer.losses) == [own, "kernel/Regularizer/add"]
        assert _names(layer.losses) == [own, "kernel/Regularizer_1/add"]
        assert _names(layer.get_losses_for(None)) == ["kernel/Regularizer_2/add"]
        assert _names(layer.get_losses_for(x)) == [own]
        layer.add_loss(lambda: tf.constant(1.0))
        layer.add_loss(lambda: None)
        layer.add_loss(2.0)
        assert _names(tf.get_collection(key)) == [*collected, "Const", "Const_1"]
        assert _names(layer.losses) == [own, "Const_1", "kernel/Regularizer_4/add", "Const_2"]


def test_parts_of_a_variable_have_one_each() -> None:
    with tf.Graph().as_default():
        layer = tf.layers.Dense(1, kernel_regularizer=tf.nn.l2_loss)
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2)):
            layer(tf.ones((1, 4)))
        assert len(layer.losses) == 2
        assert _names(tf.losses.get_regularization_losses()) == [
            "parts/dense/kernel/Regularizer/L2Loss",
            "parts/dense/kernel/Regularizer_1/L2Loss",
        ]
