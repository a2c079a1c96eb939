"""CompareAndBitpack, which 2.21's functions no longer reach; values and texts are those of 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


def _packed(value: Any, threshold: Any, known: bool = True) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        given = value if known else tf.placeholder_with_default(value, None)
        limit = threshold if known else tf.placeholder_with_default(threshold, None)
        made = tf.raw_ops.CompareAndBitpack(input=given, threshold=limit)
        return made.shape, session.run(made)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64"])
def test_bits_say_which_are_greater(dtype: str) -> None:
    value = np.arange(32).reshape(2, 2, 8).astype(dtype)
    shape, found = _packed(value, np.array(11).astype(dtype))
    assert shape.as_list() == [2, 2, 1]
    assert found.dtype == np.uint8
    assert found.tolist() == np.packbits(value > 11, axis=-1).tolist()


def test_truth_values_are_packed_as_they_are() -> None:
    assert _packed([True, False] * 4, True)[1].tolist() == [170]


def test_no_rows() -> None:
    assert _packed(np.zeros([0, 8], np.float32), np.float32(0), known=False)[1].shape == (0, 1)


@pytest.mark.parametrize(
    ("value", "threshold", "early", "late"),
    [
        (
            np.ones(7, np.float32),
            np.float32(0),
            "Dimension size must be evenly divisible by 8 but is 7",
            "Inner dimension of input should be divisible by 8, but saw shape: [7]",
        ),
        (
            np.float32(1),
            np.float32(0),
            "Shape must be at least rank 1 but is rank 0",
            "Input should be at least a vector, but saw a scalar.",
        ),
        (
            np.ones(8, np.float32),
            np.zeros(1, np.float32),
            "Shape must be rank 0 but is rank 1",
            "Compare must be a scalar, but saw shape: [1]",
        ),
    ],
)
def test_wrong_shapes(value: Any, threshold: Any, early: str, late: str) -> None:
    with pytest.raises(ValueError) as raised:
        _packed(value, threshold)
    assert early in str(raised.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as failed:
        _packed(value, threshold, known=False)
    assert late in failed.value.message
