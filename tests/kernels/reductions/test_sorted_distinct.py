"""Distinct values in ascending order, against numpy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.reductions.sorted_distinct import sorted_codes, sorted_distinct

VALUES = {
    "few": np.array([3, -1, 3, 7, -1, 0]),
    "none": np.zeros(0, np.int64),
    "one": np.array([5], np.int32),
    "equal": np.full(40, -2),
    "many": np.random.default_rng(0).integers(-500, 500, 3000),
    "wide": np.array([2**63 - 1, -(2**63), 0, 2**63 - 1]),
    "unsigned": np.array([2**64 - 1, 0, 1, 2**64 - 1, 2**63], np.uint64),
    "bytes": np.array([-128, 127, 0, -128], np.int8),
}
OTHERS = {
    "floats": np.array([0.5, -0.5, 0.5]),
    "texts": np.array([b"b", b"", b"a", b"b"], object),
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_distinct_ones_ascend(values: Any) -> None:
    found = sorted_distinct(values)
    assert found.dtype == values.dtype
    assert found.tolist() == sorted(set(values.tolist()))


@pytest.mark.parametrize("values", [*VALUES.values(), *OTHERS.values()], ids=[*VALUES, *OTHERS])
def test_codes_name_the_distinct_ones(values: Any) -> None:
    distinct, codes = sorted_codes(values)
    assert distinct.dtype == values.dtype
    assert distinct.tolist() == sorted(set(values.tolist()))
    assert codes.shape == values.shape
    assert distinct[codes].tolist() == values.tolist()
