"""Running sums of many lines side by side are numpy's, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.scans import running


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((40, 300), 0), ((300, 40), 1), ((3, 50, 70), 1), ((9, 7, 5, 6), 1), ((70_000, 3), 1)],
)
def test_lines_are_summed_as_by_numpy(
    shape: tuple[int, ...], axis: int, dtype: Any, exclusive: bool, reverse: bool
) -> None:
    x = (np.random.default_rng(0).standard_normal(shape) * 9).astype(np.int64).astype(dtype)
    x = x / dtype(8) if np.dtype(dtype).kind == "f" else x
    for ufunc, neutral in ((np.add, 0), (np.multiply, 1)):
        found = running(ufunc, x, axis, exclusive, reverse, neutral)
        assert found is not None and found.dtype == dtype and found.flags.c_contiguous
        given = np.flip(x, axis) if reverse else x
        wanted = ufunc.accumulate(given, axis=axis, dtype=dtype)
        if exclusive:
            wanted = np.roll(wanted, 1, axis)
            wanted[(slice(None),) * axis + (0,)] = neutral
        np.testing.assert_array_equal(found, np.flip(wanted, axis) if reverse else wanted)


def test_few_lines_are_left_to_numpy() -> None:
    assert running(np.add, np.ones((3, 5000)), 1, False, False, 0) is None
    assert running(np.add, np.ones((5000, 1)), 1, False, False, 0) is None
