"""Rows for ops on vectors as sets."""

from __future__ import annotations

import numpy as np

from tests.ops.case import REAL, Bad, Case, Values

HASHED = (*REAL, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _repeats(v: Values, *shape: int) -> np.ndarray:
    """Few different values, so that many are equal."""
    pool = v.any(3)
    picks = np.random.default_rng(5).integers(0, 3, shape)
    return pool[picks]


def _unique(op: str) -> list[Case]:
    return [
        Case(
            op,
            lambda v: [_repeats(v, 9)],
            HASHED,
            bad=(
                *(
                    [Bad(lambda v: [v.any(2, 3)], "must be rank 1 but is rank 2")]
                    if op == "Unique"
                    else []
                ),
                Bad(lambda v: [v.any(2, 3)], "unique expects a 1D vector", when="run"),
            ),
        ),
        Case(op, lambda v: [_repeats(v, 5)], attrs={"out_idx": "int64"}, label="int64"),
        Case(op, lambda v: [v.any(0)], ("float32", "string"), label="empty"),
        Case(op, lambda v: [np.array([np.nan, 1, np.nan, -0.0, 0.0], v.dtype)], label="nan"),
    ]


def _unique_v2(op: str) -> list[Case]:
    return [
        Case(
            op,
            lambda v: [np.concatenate([_repeats(v, 2, 3), _repeats(v, 2, 3)]), _ints(0)],
            HASHED,
            static=(1,),
            bad=(
                Bad(
                    lambda v: [v.any(2, 3), _ints(2)], r"axis expects to be in the range \[-2, 2\)"
                ),
                Bad(
                    lambda v: [v.any(2, 3), _ints(2)],
                    r"axis has to be between \[0, 2\)",
                    when="run",
                ),
                Bad(lambda v: [v.any(2, 3), _ints()], "x expects a 1D vector"),
                Bad(lambda v: [v.any(2, 3), _ints()], "unique expects a 1D vector", when="run"),
                Bad(
                    lambda v: [v.any(2, 3), _ints(0, 1)],
                    "axis does not support input tensors larger than 1 elements",
                ),
                Bad(lambda v: [v.any(2, 3), _ints(0)[0]], "axis expects a 1D vector"),
            ),
        ),
        Case(
            op,
            lambda v: [_repeats(v, 2, 3, 2)[:, [0, 1, 0]], _ints(1)],
            ("float32", "string"),
            label="axis 1",
        ),
        Case(op, lambda v: [_repeats(v, 6), np.zeros(0, np.int64)], static=(1,), label="no axis"),
        Case(op, lambda v: [_repeats(v, 6), _ints(-1)], static=(1,), label="last axis"),
    ]


def _bounds(op: str) -> list[Case]:
    return [
        Case(
            op,
            lambda v: [np.sort(v.any(3, 6), axis=1), v.any(3, 4)],
            REAL,
            bad=(
                Bad(
                    lambda v: [v.any(2, 3), v.any(3, 3)],
                    "Leading dim_size of both tensors must match",
                ),
                Bad(lambda v: [v.any(3), v.any(3)], "must be rank 2 but is rank 1"),
                Bad(
                    lambda v: [v.any(3), v.any(3)],
                    "rank 2 but is rank 1 for `sorted_inputs` argument",
                    when="run",
                ),
            ),
        ),
        Case(
            op,
            lambda v: [np.sort(_repeats(v, 2, 6), axis=1), _repeats(v, 2, 3)],
            REAL,
            attrs={"out_type": "int64"},
            label="equal values",
        ),
        Case(op, lambda v: [v.any(2, 0), v.any(2, 3)], label="empty"),
    ]


CASES = [
    *_unique("Unique"),
    *_unique("UniqueWithCounts"),
    *_unique_v2("UniqueV2"),
    *_unique_v2("UniqueWithCountsV2"),
    Case(
        "ListDiff",
        lambda v: [v.any(9), v.any(4)],
        (*REAL, "string"),
        bad=(
            Bad(lambda v: [v.any(2, 3), v.any(2)], "must be rank 1 but is rank 2"),
            Bad(lambda v: [v.any(2, 3), v.any(2)], "x should be a 1D vector", when="run"),
            Bad(lambda v: [v.any(2), v.any(2, 3)], "y should be a 1D vector", when="run"),
        ),
    ),
    Case("ListDiff", lambda v: [v.any(0), v.any(4)], attrs={"out_idx": "int64"}, label="empty"),
    *_bounds("LowerBound"),
    *_bounds("UpperBound"),
]
