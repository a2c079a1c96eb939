"""Layers that compute in the type of floats, as TensorFlow 1.15 can; recorded there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras.engine import policy
from dataflow.porting.spellings.keras import models_of_tests

keras: Any = tf.keras


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    policy.disable_v2_dtype_behavior()
    keras.backend.set_floatx("float32")


class _Same(keras.layers.Layer):  # type: ignore[misc]
    def call(self, inputs: Any) -> Any:
        return inputs


def _doubles() -> Any:
    return tf.constant(np.ones((1, 2)))


def test_inputs_are_cast() -> None:
    policy.enable_v2_dtype_behavior()
    x, layer = _doubles(), keras.layers.Dense(2)
    assert (layer.dtype, layer(x).dtype, layer.kernel.dtype) == ("float32", tf.float32, tf.float32)
    assert keras.layers.Dense(2, dtype="float16")(x).dtype == tf.float16
    assert _Same(autocast=False)(x).dtype == tf.float64
    assert [each.dtype for each in _Same()([x, tf.constant([1])])] == [tf.float32, tf.int32]
    keras.backend.set_floatx("float16")
    assert keras.layers.Dense(2)(x).dtype == tf.float16


def test_models() -> None:
    policy.enable_v2_dtype_behavior()
    row = keras.Sequential([keras.layers.Dense(2, input_shape=(2,))])
    assert (row.dtype, row(_doubles()).dtype) == ("float32", tf.float32)
    start = keras.Input((2,), dtype="float64")
    model = keras.Model(start, keras.layers.Dense(1)(start))
    assert (model.input.dtype, model.output.dtype) == (tf.float64, tf.float32)


def test_policies() -> None:
    assert (policy.global_policy().name, policy.policy_defaults_to_floatx()) == ("infer", False)
    with pytest.raises(ValueError, match="can only be set to a non-infer policy"):
        policy.set_policy("mixed_float16")
    policy.enable_v2_dtype_behavior()
    assert (policy.global_policy().name, policy.policy_defaults_to_floatx()) == ("float32", True)
    with policy.policy_scope("mixed_float16"):
        assert not policy.policy_defaults_to_floatx()
        layer = keras.layers.Dense(2)
        assert (layer(_doubles()).dtype, layer.kernel.dtype) == (tf.float16, tf.float32)


def test_decorated() -> None:
    @models_of_tests.enable_v2_dtype_behavior
    def enabled() -> list[bool]:
        return [policy.v2_dtype_behavior_enabled(), *disabled()]

    @models_of_tests.disable_v2_dtype_behavior
    def disabled() -> list[bool]:
        return [policy.v2_dtype_behavior_enabled()]

    assert enabled() == [True, False]
    assert not policy.v2_dtype_behavior_enabled()
    policy.enable_v2_dtype_behavior()
    assert disabled() == [False] and policy.v2_dtype_behavior_enabled()


def test_as_it_is_at_first() -> None:
    layer = keras.layers.Dense(2)
    assert layer.dtype is None
    assert (layer(_doubles()).dtype, layer.dtype) == (tf.float64, "float64")
