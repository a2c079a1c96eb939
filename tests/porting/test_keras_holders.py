"""Layers and weights of containers, weights by outputs, steps: Keras' own modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings import trackables
from dataflow.porting.spellings.keras.engine import given, holders, saved_models


def test_layers_in_containers_are_found_once() -> None:
    with tf.Graph().as_default():
        first, second = tf.keras.layers.Dense(1), tf.layers.Dense(2)
        container = trackables.ListWrapper([first, [second, first]])
        assert holders.filter_empty_layer_containers([container, [], second]) == [first, second]
        assert (holders.is_layer(first), holders.is_layer(tf.keras.layers.Dense)) == (True, False)
        assert (holders.has_weights(container), holders.has_weights([])) == (True, False)


def test_weights_of_holders() -> None:
    with tf.Graph().as_default():
        layer = tf.keras.layers.BatchNormalization()
        layer.build([None, 2])
        still = tf.Variable(1.0, trainable=False)
        moved = tf.Variable(1.0)
        given_ = ([layer], [still, moved])
        assert holders.gather_trainable_weights(True, *given_) == [layer.gamma, layer.beta, moved]
        assert holders.gather_trainable_weights(False, *given_) == []
        averages = [layer.moving_mean, layer.moving_variance]
        assert holders.gather_non_trainable_weights(True, *given_) == [*averages, still]
        frozen = holders.gather_non_trainable_weights(False, *given_)
        assert frozen == [layer.gamma, layer.beta, moved, *averages, still]


@pytest.mark.parametrize(
    ("weights", "names", "found"),
    [
        (None, ["a", "b"], [None, None]),
        ([], ["a"], [None]),
        ({"a": 3}, ["a"], [3]),
        ({0: 1.0}, ["a"], [{0: 1.0}]),
        ([1, 2], ["a", "b"], [1, 2]),
        ({"b": 2}, ["a", "b"], [None, 2]),
        ([1], ["a", "b"], "Provided `w` was a list of 1 elements, but the model has 2 outputs."),
        ({"c": 1}, ["a", "b"], "Unknown entries in w dictionary: ['c']. Only expected following"),
        (3, ["a", "b"], "The model has multiple outputs, so `w` should be either a list or a"),
    ],
)
def test_weights_by_outputs(weights: Any, names: list[str], found: Any) -> None:
    if isinstance(found, list):
        assert given.standardize_sample_or_class_weights(weights, names, "w") == found
        return
    with pytest.raises((TypeError, ValueError)) as raised:
        given.standardize_sample_or_class_weights(weights, names, "w")
    assert str(raised.value).startswith(found)


def test_steps_must_be_told_for_tensors() -> None:
    with tf.Graph().as_default():
        assert given.check_steps_argument(tf.constant([1]), 3, "steps")
        assert given.check_steps_argument(tf.data.Dataset.range(3), None, "steps")
        assert not given.check_steps_argument(np.zeros(3), None, "steps")
        with pytest.raises(ValueError, match=r"When using data tensors .* the `steps` argument"):
            given.check_steps_argument([tf.constant([1])], None, "steps")
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        with pytest.raises(ValueError, match="When using a Dataset iterator as input"):
            given.check_steps_argument(iterator, None, "steps")


def test_data_are_split() -> None:
    x, y = [np.arange(10)], [np.arange(10) * 2]
    parts = given.split_training_and_validation_data(x, y, None, 0.2)
    assert [None if each is None else each[0].tolist() for each in parts] == [
        *([*range(8)], [*range(0, 16, 2)], None),
        *([8, 9], [16, 18], None),
    ]


def test_models_as_saved_models(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session():
        start = tf.keras.Input([2])
        model = tf.keras.Model(start, tf.keras.layers.Dense(1, use_bias=False)(start))
        model.set_weights([np.array([[1.0], [2.0]])])
        saved_models.save(model, str(tmp_path / "model"), True, False)
        again = saved_models.load(str(tmp_path / "model"), compile=False)
        assert again.predict(np.array([[3.0, 4.0]])).tolist() == [[11.0]]
    tf.keras.backend.clear_session()
