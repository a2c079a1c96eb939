"""The session that models have when a program opens none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.keras import backend

import dataflow as tf


def run_on_absent_device(library: Any, keras: Any) -> list[np.ndarray]:
    """What a layer and a node answer that name a GPU and a second CPU where there are none."""
    with library.device("/gpu:0"):
        net = keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,))
        model = keras.models.Sequential([net])
    with library.device("/cpu:7"):
        doubled = keras.backend.constant([1.5, 2.5]) * 2
    return [model.predict(np.arange(6.0).reshape(2, 3)), keras.backend.get_value(doubled)]


def test_runs_elsewhere_what_names_an_absent_device() -> None:
    with tf.Graph().as_default():
        ours = run_on_absent_device(tf, tf.keras)
    np.testing.assert_array_equal(ours[0], [[3, 3], [12, 12]])
    np.testing.assert_array_equal(ours[1], [3, 5])


def test_its_options_are_tensorflows() -> None:
    with oracle.Graph().as_default():
        with backend.get_session() as session:
            theirs = session._config.allow_soft_placement
        backend.set_session(None)
    with tf.Graph().as_default():
        ours = tf.keras.backend.get_session()._config
    assert ours.allow_soft_placement is theirs is True


def test_its_other_options_are_the_process_s() -> None:
    former = tf.config.threading.get_inter_op_parallelism_threads()
    tf.config.threading.set_inter_op_parallelism_threads(3)
    try:
        with tf.Graph().as_default():
            assert tf.keras.backend.get_session()._config.inter_op_parallelism_threads == 3
    finally:
        tf.config.threading.set_inter_op_parallelism_threads(former)
    assert not tf.config.get_soft_device_placement()


def test_a_session_of_the_program_places_as_it_says() -> None:
    refused = pytest.raises(tf.errors.InvalidArgumentError)
    with tf.Graph().as_default(), tf.Session().as_default(), refused as caught:
        run_on_absent_device(tf, tf.keras)
    assert "Cannot assign a device for operation" in caught.value.message
