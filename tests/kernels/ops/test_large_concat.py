"""Large arrays are put side by side by several threads, along each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.ops.array import concat
from dataflow.kernels.threads.parallel import Assisted
from tests.kernels.helped import Busy, helpers


def _numbers(dtype: Any, *shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128])
def test_values(dtype: Any, axis: int) -> None:
    join = concat._concatenation(np, "axis")
    sizes = [[60, 50, 40] for _ in range(3)]
    for size, width in zip(sizes, (1000, 0, 7), strict=True):
        size[axis] = width
    values = [_numbers(dtype, *size) for size in sizes]
    where = np.array(axis)
    for assisted in (Assisted(Busy()), helpers()):
        with assisted:
            found = join(where, values)
            np.testing.assert_array_equal(found, np.concatenate(values, axis))
            # Others lie otherwise, or are of another type.
            turned = [np.asfortranarray(value) for value in values]
            np.testing.assert_array_equal(join(where, turned), found)
            assert found.base is None


@pytest.mark.parametrize(
    ("shapes", "axis", "text"),
    [
        ([(900, 900), (901, 900)], 1, "Dimension 0 in both shapes must be equal"),
        ([(900, 900), (900, 30, 30)], 1, "Ranks of all input tensors should match"),
        ([(900, 900), (900, 900)], 2, "concatenating dimensions in the range [-2, 2)"),
    ],
)
def test_what_does_not_fit(shapes: Any, axis: int, text: str) -> None:
    join = concat._concatenation(np, "axis")
    with helpers(), pytest.raises(tf.errors.InvalidArgumentError) as error:
        join(np.array(axis), [np.ones(shape, np.float32) for shape in shapes])
    assert text in error.value.message
