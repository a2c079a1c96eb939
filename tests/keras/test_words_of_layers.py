"""Layers, the backend and names of configurations refuse in the words of TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
layers, K = keras.layers, keras.backend


def _of(*shape: int, **kwargs: Any) -> Any:
    return keras.Input(shape, **kwargs)


def _dot(axes: Any) -> Callable[[], Any]:
    return lambda: layers.Dot(axes)


_SHOWN: Final = "is incompatible with the layer: {}. Full shape received: {}"
_HEIGHTS: Final = (
    "`padding` should be either an int, a tuple of 2 ints (symmetric_height_pad, "
    "symmetric_width_pad), or a tuple of 2 tuples of 2 ints ((top_pad, bottom_pad), (left_pad, "
    "right_pad)). Found: None"
)
_DIMS: Final = (
    "`cropping` should be either an int, a tuple of 3 ints (symmetric_dim1_crop, "
    "symmetric_dim2_crop, symmetric_dim3_crop), or a tuple of 3 tuples of 2 ints "
    "((left_dim1_crop, right_dim1_crop), (left_dim2_crop, right_dim2_crop), (left_dim3_crop, "
    "right_dim2_crop)). Found: None"
)
_TWO: Final = "A `{}` layer should be called on a list of {}2 inputs"
_CASES: Final[Mapping[str, tuple[Callable[[], Any], str]]] = {
    "rank": (
        lambda: layers.LSTM(2, name="l")(_of(3)),
        f"Input 0 of layer l {_SHOWN.format('expected ndim=3, found ndim=2', '[None, 3]')}",
    ),
    "least rank": (
        lambda: layers.Dense(3, name="d")(_of()),
        f"Input 0 of layer d {_SHOWN.format(': expected min_ndim=2, found ndim=1', '[None]')}",
    ),
    "channels": (
        lambda: [
            layer(_of(5, 5, size)) for layer in [layers.Conv2D(2, 3, name="c")] for size in (1, 2)
        ],
        "Input 0 of layer c is incompatible with the layer: expected axis -1 of input shape to "
        "have value 1 but received input with shape [None, 5, 5, 2]",
    ),
    "causal": (
        lambda: layers.Conv2D(2, 3, padding="causal"),
        "Causal padding is only supported for `Conv1D`and ``SeparableConv1D`.",
    ),
    "pads": (
        lambda: layers.ZeroPadding2D((1, 2, 3)),
        "`padding` should have two elements. Found: (1, 2, 3)",
    ),
    "no pads": (lambda: layers.ZeroPadding2D(None), _HEIGHTS),
    "crops": (
        lambda: layers.Cropping3D((1, 2)),
        "`cropping` should have 3 elements. Found: (1, 2)",
    ),
    "no crops": (lambda: layers.Cropping3D(None), _DIMS),
    "local": (
        lambda: layers.LocallyConnected2D(2, 3)(_of(None, 5, 1)),
        "The spatial dimensions of the inputs to  a LocallyConnected2D layer should be "
        "fully-defined, but layer received the inputs shape (None, None, 5, 1)",
    ),
    "broadcast": (
        lambda: layers.add([_of(4, 2), _of(3, 2)]),
        "Operands could not be broadcast together with shapes (4, 2) (3, 2)",
    ),
    "one": (lambda: layers.concatenate([_of(2)]), _TWO.format("Concatenate", "at least ")),
    "no list": (lambda: layers.Concatenate()(_of(2)), _TWO.format("Concatenate", "at least ")),
    "one factor": (lambda: layers.Dot(1).build([(1, 2)]), f"{_TWO.format('Dot', '')}."),
    "three factors": (
        lambda: layers.Dot(1)([_of(2), _of(2), _of(2)]),
        f"{_TWO.format('Dot', '')}.",
    ),
    "factors": (
        lambda: layers.dot([_of(3, 2), _of(4)], axes=1),
        "Dimension incompatibility 3 != 4. Layer shapes: (None, 3, 2), (None, 4)",
    ),
    "axes": (_dot((1, 2, 3)), "Invalid format for `axes` - should contain two elements."),
    "axis": (_dot((1, "a")), 'Invalid format for `axes` - list elements should be "int".'),
    "cells": (
        lambda: layers.StackedRNNCells([5]),
        "('All cells must have a `call` method. received cells:', [5])",
    ),
    "activation": (lambda: layers.Activation("foo"), "Unknown activation function:foo"),
    "initializer": (lambda: keras.initializers.get("foo"), "Unknown initializer:foo"),
    "class": (
        lambda: layers.deserialize({"class_name": "Foo", "config": {}}),
        "Unknown layer: Foo",
    ),
    "regularizer": (
        lambda: keras.regularizers.get(5),
        "('Could not interpret regularizer identifier:', 5)",
    ),
    "switch": (
        lambda: K.switch(tf.constant([[True]]), tf.constant([1.0]), tf.constant([2.0])),
        "Rank of `condition` should be less than or equal to rank of `then_expression` and "
        "`else_expression`. ndim(condition)=2, ndim(then_expression)=1",
    ),
    "windows": (
        lambda: K.pool2d(K.ones((1, 4, 4, 2)), (2, 2, 2)),
        "`pool_size` must be a tuple of 2 integers.",
    ),
    "steps": (
        lambda: K.pool2d(K.ones((1, 4, 4, 2)), (2, 2), strides=(1,)),
        "`strides` must be a tuple of 2 integers.",
    ),
    "bias": (
        lambda: K.bias_add(K.ones((1, 2, 3)), K.ones((2, 2, 3))),
        "Unexpected bias dimensions 3, expect to be 1 or 3 dimensions",
    ),
    "images": (
        lambda: K.resize_images(K.ones((1, 2, 2, 1)), 2, 2, "foo"),
        "Invalid `data_format` argument: foo",
    ),
    "function": (
        lambda: K.function([K.placeholder((2,))], [], foo=1),
        'Invalid argument "foo" passed to K.function with TensorFlow backend',
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_values_are_refused_in_1_15s_words(name: str) -> None:
    call, text = _CASES[name]
    with tf.Graph().as_default(), pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == text


def test_types_are_refused_in_1_15s_words() -> None:
    with pytest.raises(
        TypeError, match=r"^Invalid type for `axes` - should be a list or an int\.$"
    ):
        layers.Dot("a")
    with (
        tf.Graph().as_default(),
        pytest.raises(
            TypeError, match=r"^`updates` in a Keras backend function should be a list or"
        ),
    ):
        K.function([K.placeholder((2,))], [], updates=5)


def test_images_grow_between_the_centers_of_pixels_and_vectors_repeat() -> None:
    row = np.array([[0.0, 4.0, 8.0]], np.float32)[:, None, :, None]
    with tf.Graph().as_default(), tf.Session() as session:
        wide = layers.UpSampling2D((1, 2), interpolation="bilinear")(tf.constant(row))
        near = layers.UpSampling2D((1, 2))(tf.constant(row))
        found = session.run([wide, near, K.tile(tf.constant([1.0, 2.0]), 2)])
    # 1.15's values.
    assert found[0].ravel().tolist() == [0, 1, 3, 5, 7, 8]
    assert found[1].ravel().tolist() == [0, 0, 4, 4, 8, 8]
    assert found[2].tolist() == [1, 2, 1, 2]


def test_adagrad_of_a_name_or_a_configuration_begins_at_zero() -> None:
    """As in 1.15, where only the constructor's accumulators begin at 0.1."""
    starts = [
        keras.optimizers.get("adagrad"),
        keras.optimizers.Adagrad.from_config({"lr": 0.5}),
        keras.optimizers.Adagrad(),
        keras.optimizers.Adagrad.from_config({"initial_accumulator_value": 0.3}),
    ]
    assert [each.get_config()["initial_accumulator_value"] for each in starts] == [0, 0, 0.1, 0.3]
    assert starts[1].get_config()["learning_rate"] == 0.5
