"""Layers, cells, models and optimizers of a program name their own parts as they like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras

# What such classes of public programs call their parts; TensorFlow's own bases have none of these.
_OWN = (
    "_apply", "_append", "_called", "_calling", "_calls", "_clipped", "_connect", "_connected",
    "_ends", "_endpoints", "_feed", "_feeds", "_feed_names", "_function", "_functions", "_groups",
    "_held", "_input_size", "_insert", "_memory", "_run", "_sizes", "_slots_of", "_standardize",
    "_step", "_update", "_sublayers", "_keep_call", "_masks_of", "_told", "_metrics_added",
    "_losses_added", "_held_metrics", "_layers_of_graph", "_compiled_trainable", "_final_scope",
    "_call_names",
)  # fmt: skip


class _Scaled(keras.layers.Layer):  # type: ignore[misc]
    """A layer of two that it lists by a name of TensorFlow's, and has in others of its own."""

    def __init__(self) -> None:
        super().__init__(name="scaled")
        for name in _OWN:
            setattr(self, name, 8)
        self._layers = [keras.layers.Dense(3, kernel_initializer="ones", name="a")]
        self._stack = [keras.layers.Dense(1, kernel_initializer="ones", name="b")]
        self._layers.append(keras.layers.Dense(2, kernel_initializer="ones", name="c"))

    def build(self, shape: Any) -> None:
        self.scale = self.add_weight("scale", (int(shape[-1]),), initializer="ones")
        super().build(shape)

    def call(self, x: Any) -> Any:
        first, second = self._layers
        return self._stack[0](second(first(x * self.scale)))


class _Whole(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="whole")
        for name in _OWN:
            setattr(self, name, 8)
        self._input_layers = [_Scaled()]
        self._output_layers = (keras.layers.Dense(1, kernel_initializer="ones", name="d"),)

    def call(self, x: Any) -> Any:
        for layer in (*self._input_layers, *self._output_layers):
            x = layer(x)
        return x


class _Stepping(tf.train.GradientDescentOptimizer):
    def __init__(self) -> None:
        super().__init__(0.5)
        for name in _OWN:
            setattr(self, name, 8)


class _Adapting(keras.optimizers.SGD):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(0.001)
        for name in _OWN:
            self.__dict__[name] = 8


def test_a_model_of_own_names_trains_and_keeps_its_weights(tmp_path: Path) -> None:
    model = _Whole()
    model.compile(_Adapting(), "mse")
    x = np.arange(8, dtype=np.float32).reshape(2, 4) / 8
    # Each row's sum, three times over, twice over.
    expected = 6 * x.sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-6)
    loss = model.train_on_batch(x, np.zeros([2, 1]))
    np.testing.assert_allclose(loss, np.mean(expected**2), rtol=1e-6)
    assert model.test_on_batch(x, np.zeros([2, 1])) < loss
    assert [tuple(each.shape.as_list()) for each in model.weights] == [
        (4,), (4, 3), (3,), (3, 2), (2,), (2, 1), (1,), (1, 1), (1,),
    ]  # fmt: skip
    scaled = model._input_layers[0]
    assert scaled._groups == 8
    # A list is seen by checkpoints, whatever its name.
    assert type(scaled._layers) is type(scaled._stack) is not list
    model.save_weights(str(tmp_path / "saved"))
    other = _Whole()
    other.predict(x)
    other.load_weights(str(tmp_path / "saved"))
    np.testing.assert_array_equal(other.predict(x), model.predict(x))


def test_where_nothing_is_set_the_layers_are_told() -> None:
    inputs = keras.Input((4,))
    middle = keras.layers.Dense(3, name="middle")
    outputs = keras.layers.Dense(1, name="end")(middle(inputs))
    model = keras.Model(inputs, outputs)
    assert [each.name for each in model._output_layers] == ["end"]
    assert [each.name for each in model._input_layers] == [model.layers[0].name]
    assert keras.layers.Bidirectional(keras.layers.LSTM(2))._layers


@pytest.mark.parametrize("base", ["BasicLSTMCell", "LSTMCell", "GRUCell", "BasicRNNCell"])
def test_a_cell_of_own_names(base: str) -> None:
    parent: Any = getattr(tf.nn.rnn_cell, base)

    class Own(parent):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(3)
            for name in _OWN:
                setattr(self, name, 8)

    def outputs(cell: Any) -> Any:
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(1)
            made, _ = tf.nn.dynamic_rnn(cell(), tf.ones([2, 4, 5]), dtype=tf.float32)
            session.run(tf.global_variables_initializer())
            return session.run(made)

    np.testing.assert_array_equal(outputs(Own), outputs(lambda: parent(3)))


def test_an_optimizer_of_own_names() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dense = tf.get_variable("d", initializer=[1.0, 2.0])
        rows = tf.get_variable("r", initializer=[[1.0], [2.0], [3.0]])
        loss = tf.reduce_sum(dense) + tf.reduce_sum(tf.gather(rows, [0, 2]))
        step = _Stepping().minimize(loss)
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_array_equal(session.run(dense), [0.5, 1.5])
        np.testing.assert_array_equal(session.run(rows), [[0.5], [2.0], [2.5]])
