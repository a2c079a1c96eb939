"""Functions of datasets and calls of layers that branch or loop by tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


def larger_or_negative(x: Any) -> Any:
    if x > 2:
        x = x * 10
    else:
        x = -x
    while x > 100:
        x = x - 100
    return x


def elements(dataset: Any) -> list[Any]:
    got = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(got))
            except tf.errors.OutOfRangeError:
                return found


def test_functions_of_datasets() -> None:
    with tf.Graph().as_default():
        numbers = tf.data.Dataset.from_tensor_slices([1, 2, 3, 25])
        assert elements(numbers.map(larger_or_negative)) == [-1, -2, 30, 50]
        assert elements(numbers.filter(lambda x: x > 1 and x < 20)) == [2, 3]


def test_what_is_marked_or_cannot_be_converted_tells_its_own_error() -> None:
    numbers = tf.data.Dataset.range(3)
    for function in (tf.autograph.experimental.do_not_convert(larger_or_negative), bool):
        with pytest.raises(TypeError, match="as a Python `bool`"):
            numbers.map(function)


def test_calls_of_layers() -> None:
    class Own(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight("scale", (), initializer="ones")
            super().build(input_shape)

        def call(self, inputs: Any) -> Any:
            if tf.reduce_sum(inputs) > 0.0:
                return inputs * self.scale
            return inputs - 1.0

    tf.keras.backend.clear_session()
    start = tf.keras.Input((2,))
    layer = Own()
    model = tf.keras.Model(start, layer(start))
    assert len(layer.weights) == 1
    np.testing.assert_array_equal(model.predict(np.ones((1, 2))), [[1.0, 1.0]])
    np.testing.assert_array_equal(model.predict(-np.ones((1, 2))), [[-2.0, -2.0]])
