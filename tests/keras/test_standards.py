"""Checks of what models are trained on, by their inner names; texts are those of 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras import losses
from dataflow.porting.spellings.keras import standards as checks

Z = np.zeros
_SAME = "should have the same number of samples"


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        (
            ([Z((2, 3)), Z((3, 3))], [Z((2, 1))]),
            rf"^All input arrays \(x\) {_SAME}\. Got array shapes: \[\(2, 3\), \(3, 3\)\]$",
        ),
        (
            ([Z((2, 3))], [Z((2, 1)), Z((4, 1))]),
            rf"^All target arrays \(y\) {_SAME}\. Got array shapes: \[\(2, 1\), \(4, 1\)\]$",
        ),
        (
            ([Z((2, 3))], [Z((3, 1))]),
            rf"^Input arrays {_SAME} as target arrays\. Found 2 input samples and 3 target",
        ),
        (
            ([Z((2, 3))], [Z((2, 1))], [Z(2), Z(3)]),
            rf"^All sample_weight arrays {_SAME}\. Got array shapes: \[\(2,\), \(3,\)\]$",
        ),
        (
            ([Z((2, 3))], [Z((2, 1))], [Z(3)]),
            rf"^Sample_weight arrays {_SAME} as target arrays\. Got 2 input samples and 3 target",
        ),
    ],
)
def test_lengths(arrays: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        checks.check_array_lengths(*arrays)
    checks.check_array_lengths(None, [Z((2, 1))])


def test_weights_of_outputs() -> None:
    names = ["a", "b"]
    assert checks.standardize_class_weights({"a": 2}, names) == [2, None]
    with pytest.raises(ValueError, match=r"list of 3 elements, but the model has 2 outputs\. You "
                       r"should provide one `class_weight`array per model output\.$"):  # fmt: skip
        checks.standardize_class_weights([1, 2, 3], names)
    with pytest.raises(TypeError, match=r"`class_weight` type not understood: 3$"):
        checks.standardize_class_weights(3, names)


def test_weights_of_samples() -> None:
    y = np.array([0, 1, 1, 0])
    assert checks.standardize_weights(y) is None
    found = checks.standardize_weights(y, class_weight={0: 0.5, 1: 2.0})
    assert found.tolist() == [0.5, 2.0, 2.0, 0.5]
    found = checks.standardize_weights(y[:2], np.array([2.0, 3.0]), {0: 0.5, 1: 2.0})
    assert found.tolist() == [1.0, 6.0]


def test_arrays() -> None:
    assert checks.standardize_single_array(None) is None
    assert checks.standardize_single_array(Z(3)).shape == (3, 1)
    assert checks.standardize_single_array(Z(3), (None,)).shape == (3,)
    assert checks.standardize_single_array(tf.zeros([3])).shape.as_list() == [3, 1]
    with pytest.raises(ValueError, match="Expected an array data type but received an integer: 3"):
        checks.standardize_single_array(3)


def test_targets_and_losses() -> None:
    check = checks.check_loss_and_target_compatibility
    check([Z((2, 3)), None], [losses.SparseCategoricalCrossentropy(), None], [(None, 4), None])
    check([Z((2, 4)), tf.zeros([2, 3])], [losses.MeanSquaredError()] * 2, [(None, 4)] * 2)
    one = r"^A target array with shape \(2, 3\) was passed for an output of shape \(None, 4\) while"
    with pytest.raises(ValueError, match=rf"{one} using as loss `mean_squared_error`\."):
        check([Z((2, 3))], [losses.MeanSquaredError()], [(None, 4)])
    other = r"^You are passing a target array of shape \(2, 1\) while using as loss"
    with pytest.raises(ValueError, match=other):
        check([Z((2, 1))], [losses.CategoricalCrossentropy()], [(None, 4)])


def test_generators() -> None:
    checks.check_generator_arguments()
    for given, text in (
        ((3,), "^`y` argument is not supported .* Instead pass targets as the second element"),
        ((None, 3), "^`sample_weight` argument .* Instead pass sample weights as the third"),
        ((None, None, 0.3), "you cannot use `validation_split`"),
    ):
        with pytest.raises(ValueError, match=text):
            checks.check_generator_arguments(*given)


def test_order_and_names() -> None:
    np.random.seed(0)
    assert checks.batch_shuffle(np.arange(11), 3).tolist() == [6, 7, 8, 3, 4, 5, 0, 1, 2, 9, 10]
    assert checks.get_metric_name("accuracy", weighted=True) == "weighted_acc"
    assert [checks.get_metric_name(each) for each in ("mse", "ce")] == ["mean_squared_error", "ce"]
    assert checks.generic_output_names([1, 2]) == ["output_1", "output_2"]
    assert checks.list_to_tuple([1]) == (1,) and checks.list_to_tuple(2) == 2
