"""Ranges in rows: many rows, rows at the ends of a type, and sums that splits cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.oracle import open_session, oracle


def _ranges(library: Any, starts: Any, limits: Any, deltas: Any, splits: str = "int64") -> Any:
    with library.Graph().as_default(), open_session(library) as session:
        made = library.raw_ops.RaggedRange(
            starts=starts, limits=limits, deltas=deltas, Tsplits=getattr(library, splits)
        )
        return session.run(list(made))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("longest", [4, 300])
def test_many_rows(dtype: str, longest: int) -> None:
    random = np.random.default_rng(0)
    starts = random.uniform(-30, 30, 60).astype(dtype)
    limits = starts + random.uniform(-longest, longest, 60).astype(dtype)
    deltas = random.choice([-3, -1, 1, 2], 60).astype(dtype)
    found = _ranges(tf, starts, limits, deltas)
    for ours, theirs in zip(found, _ranges(oracle, starts, limits, deltas), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_ends_of_a_type(dtype: str) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    starts = np.array([low, 5, high, high, 0], dtype)
    limits = np.array([high, 5, low, low + 1, 1], dtype)
    deltas = np.array([high, 1, low, -high, high], dtype)
    splits, values = _ranges(tf, starts, limits, deltas)
    assert splits.tolist() == [0, 3, 3, 5, 7, 8]
    assert values.tolist() == [low, -1, high - 1, high, -1, high, 0, 0]


@pytest.mark.parametrize(
    ("starts", "limits", "text"),
    [
        (np.float32([0, 0]), np.float32([2e9, 2e9]), "The total range size overflowed."),
        (np.int32([0, 0, -(2**31)]), np.int32([2e9, 2e9, 2e9]), "The total range size overflowed."),
        (np.int32([0, -(2**31)]), np.int32([2e9, 2e9]), "limit - start) / delta) <= 2147483647"),
        (np.float64([np.nan]), np.float64([1]), "limit - start) / delta) <= 2147483647"),
        (np.float64([0]), np.float64([np.inf]), "limit - start) / delta) <= 2147483647"),
    ],
)
def test_too_many_for_splits(starts: Any, limits: Any, text: str) -> None:
    for library in (tf, oracle):
        with pytest.raises(library.errors.InvalidArgumentError) as raised:
            _ranges(library, starts, limits, starts.dtype.type(1), "int32")
        assert text in raised.value.message


def test_equal_infinities_have_no_length() -> None:
    for library in (tf, oracle):
        ends = np.float32([np.inf])
        with pytest.raises(library.errors.InvalidArgumentError):
            _ranges(library, ends, ends, np.float32(1))
