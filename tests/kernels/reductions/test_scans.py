"""Running sums of many lines side by side are numpy's, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions.scans import running
from tests.pairwise import pairwise


@pairwise(
    {
        "shape, axis": [
            ((40, 300), 0),
            ((300, 40), 1),
            ((3, 50, 70), 1),
            ((9, 7, 5, 6), 1),
            ((70_000, 3), 1),
            ((3, 5000), 1),
            ((5000, 1), 1),
            ((400, 700), 1),
        ],
        "dtype": [np.float32, np.float64, np.int32, np.uint8],
        "exclusive": [False, True],
        "reverse": [False, True],
    }
)
def test_lines_are_summed_as_by_numpy(
    shape: tuple[int, ...], axis: int, dtype: Any, exclusive: bool, reverse: bool
) -> None:
    x = (np.random.default_rng(0).standard_normal(shape) * 9).astype(np.int64).astype(dtype)
    x = x / dtype(8) if np.dtype(dtype).kind == "f" else x
    for ufunc, neutral in ((np.add, 0), (np.multiply, 1)):
        found = running(ufunc, x, axis, exclusive, reverse, neutral)
        assert found.dtype == dtype and found.flags.c_contiguous
        given = np.flip(x, axis) if reverse else x
        wanted = ufunc.accumulate(given, axis=axis, dtype=dtype)
        if exclusive:
            wanted = np.roll(wanted, 1, axis)
            wanted[(slice(None),) * axis + (0,)] = neutral
        np.testing.assert_array_equal(found, np.flip(wanted, axis) if reverse else wanted)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_long_lines_on_several_threads(exclusive: bool, reverse: bool) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (400, 1500)).astype(np.float32)
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        found = session.run(tf.cumsum(x, 1, exclusive, reverse))
    given = x[:, ::-1] if reverse else x
    wanted = given.cumsum(1) - (given if exclusive else 0)
    np.testing.assert_array_equal(found, wanted[:, ::-1] if reverse else wanted)
