"""What TensorFlow's own tests of Keras are made of."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings import trackables
from dataflow.porting.spellings.keras import calls, models_of_tests, modes_of_tests, parts

keras: Any = tf.keras


def _run(case: type) -> tuple[list[str], unittest.TestResult]:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    names = [each._testMethodName for each in suite]  # type: ignore[union-attr]
    result = unittest.TestResult()
    suite.run(result)
    return names, result


def test_tests_run_once_in_a_session_and_once_for_each_type() -> None:
    seen: list[Any] = []

    @modes_of_tests.run_all_keras_modes
    class Whole(modes_of_tests.TestCase):
        def test_mode(self) -> None:
            told = models_of_tests.should_run_eagerly(), models_of_tests.should_run_tf_function()
            seen.append((*told, tf.get_default_session() is not None))

    class Each(modes_of_tests.TestCase):
        @modes_of_tests.run_all_keras_modes
        @modes_of_tests.run_with_all_model_types(exclude_models="sequential")
        def test_types(self) -> None:
            model = models_of_tests.get_small_mlp(4, 2, 3)
            seen.append((models_of_tests.get_model_type(), model.predict(np.ones((5, 3))).shape))

        @modes_of_tests.run_all_keras_modes(always_skip_v1=True)
        def test_eager(self) -> None:
            raise AssertionError

    names, result = _run(Whole)
    assert (names, result.wasSuccessful()) == (["test_mode_v1_session"], True)
    names, result = _run(Each)
    assert len(names) == 3 and result.wasSuccessful() and len(result.skipped) == 1
    assert seen == [(False, False, True), ("functional", (5, 2)), ("subclass", (5, 2))]
    for asked in ("should_run_eagerly", "should_run_tf_function", "get_model_type"):
        with pytest.raises(ValueError, match=rf"Cannot call `{asked}\(\)` outside"):
            getattr(models_of_tests, asked)()


@pytest.mark.parametrize("kind", ["functional", "subclass", "subclass_custom_build", "sequential"])
def test_models_of_a_type(kind: str) -> None:
    layers = keras.layers
    with models_of_tests.model_type_scope(kind):
        made = models_of_tests.get_model_from_layers(
            [layers.Dense(4), layers.Dense(2)], input_shape=(3,), name="own"
        )
        small = models_of_tests.get_small_mlp(4, 1, 3)
        branches = [layers.Input((3,)), layers.Dense(2)], [layers.Input((3,)), layers.Dense(2)]
        if kind == "sequential":
            with pytest.raises(ValueError, match="to construct sequential models"):
                models_of_tests.get_multi_io_model(*branches)
        else:
            several = models_of_tests.get_multi_io_model(
                *branches, shared_output_branch=[layers.Concatenate()]
            )
            found = several.predict([np.ones((5, 3)), np.ones((5, 3))])
            assert found.shape == (5, 4)
    x = np.ones((5, 3), "f")
    assert (made.name, made.predict(x).shape, small.predict(x).shape) == ("own", (5, 2), (5, 1))
    (train, _), (test, classes) = models_of_tests.get_test_data(6, 2, (3,), 4, random_seed=0)
    assert (train.shape, test.shape, classes.shape) == ((6, 3), (2, 3), (2,))
    assert isinstance(models_of_tests.get_v2_optimizer("adam"), keras.optimizers.Adam)
    keras.backend.clear_session()


class _Wrong(keras.layers.Layer):  # type: ignore[misc, name-defined]
    def call(self, inputs: Any) -> Any:
        return inputs[:, :1]

    def compute_output_shape(self, shape: Any) -> Any:
        return shape


def test_what_must_hold_of_layers() -> None:
    check = models_of_tests.layer_test
    found = check(keras.layers.Dense, {"units": 3}, input_shape=(None, 4))
    assert found.shape[1] == 3
    x = np.ones((2, 3), "f")
    np.testing.assert_array_equal(
        check(keras.layers.ReLU, input_data=-x, expected_output=x * 0), x * 0
    )
    for wrong, given, text in (
        (_Wrong, {"input_shape": (2, 3)}, "not"),
        (keras.layers.ReLU, {"input_data": x, "expected_output": x + 1}, "Mismatch"),
        (keras.layers.ReLU, {"input_data": x, "expected_output_dtype": "int32"}, "not int32"),
        (keras.layers.ReLU, {"input_data": x, "expected_output_shape": (2, 4)}, r"not \(2, 4\)"),
    ):
        with pytest.raises(AssertionError, match=text):
            check(wrong, **given)
    with pytest.raises(ValueError, match="input_shape is None"):
        check(keras.layers.ReLU)
    keras.backend.clear_session()


def test_calls_of_layers_and_what_objects_are_made_of() -> None:
    context = calls.call_context()
    assert (context.in_call, context.training) == (False, None)
    with context.enter(None, [], True, False):
        assert (context.in_call, context.training) == (True, False)
    model = keras.Sequential([keras.layers.Dense(2, input_dim=3)])
    found = {id(each) for each in trackables.list_objects(model)}
    assert {id(model), id(model.layers[0]), *map(id, model.weights)} <= found
    keras.backend.clear_session()


def test_lists_that_tell_of_calls_are_wrapped_and_unwrapped() -> None:
    nested = {"a": (["l", 2, 3], [["l", 5, 6, {}], 7])}
    wrapped = parts.convert_inner_node_data(nested, wrap=True)
    first, (second, number) = wrapped["a"]
    assert [first.as_list(), second.as_list(), number] == [["l", 2, 3], ["l", 5, 6, {}], 7]
    assert parts.convert_inner_node_data(wrapped, wrap=True)["a"][0] is first
    assert parts.convert_inner_node_data(wrapped) == nested
