"""`Unique` of many integers, which go by a table: against numpy's, in the order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.int8])
@pytest.mark.parametrize("count", [65, 5000])
def test_integers_that_lie_close_together(dtype: Any, count: int) -> None:
    values = np.random.default_rng(count).integers(-90, 120, count).astype(dtype)
    values[-1] = values.max()
    with tf.Graph().as_default(), tf.Session() as session:
        found, places, counts = session.run(tf.unique_with_counts(values))
    _, firsts = np.unique(values, return_index=True)
    np.testing.assert_array_equal(found, values[np.sort(firsts)])
    np.testing.assert_array_equal(found[places], values)
    np.testing.assert_array_equal(counts, [np.count_nonzero(values == one) for one in found])
