"""Rows for reductions over segments."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, REAL, Bad, Case, Values

INDEX = {"int32": np.int32, "int64": np.int64}


def _sorted(ids: list[int], *shape: int, index: str = "int32", make: str = "any"):  # type: ignore[no-untyped-def]
    def args(v: Values) -> list[np.ndarray]:
        return [getattr(v, make)(len(ids), *shape), np.asarray(ids, INDEX[index])]

    return args


def _unsorted(ids: object, count: int, *shape: int, index: str = "int32", make: str = "any"):  # type: ignore[no-untyped-def]
    def args(v: Values) -> list[np.ndarray]:
        array = np.asarray(ids, INDEX[index])
        return [getattr(v, make)(*array.shape, *shape), array, np.int32(count)]

    return args


SORTED_BAD = (
    Bad(_sorted([0, 2, 1], 2), "segment ids are not increasing", when="run"),
    Bad(_sorted([-1, 2, 2], 2), r"Segment id -1 out of range \[0, 3\)", when="run"),
    Bad(_sorted([0, 1, 2, 0], 2), r"Segment id 1 out of range \[0, 1\)", when="run"),
    Bad(_sorted([0, -1], 2), "segment ids must be >= 0", when="run"),
    Bad(lambda v: [v.any(3, 2), np.int32([0, 2])], "same size as dimension 0 of input", when="run"),
    Bad(lambda v: [v.any(), np.int32([0])], "input must be at least rank 1", when="run"),
    Bad(lambda v: [v.any(), np.int32([0])], "Shape must be at least rank 1", when="build"),
    Bad(lambda v: [v.any(2, 2), np.int32([[0, 1]])], "segment_ids should be a vector", when="run"),
)
UNSORTED_BAD = (
    Bad(_unsorted([0, 2, 1], 2, 2), r"segment_ids\[1\] = 2 is out of range \[0, 2\)", when="run"),
    Bad(
        lambda v: [v.any(3, 2), np.int32([0, 1]), np.int32(2)],
        r"data.shape = \[3,2\] does not start with segment_ids.shape = \[2\]",
        when="run",
    ),
    Bad(
        lambda v: [v.any(3, 2), np.int32([0, 1]), np.int32(2)],
        "Dimensions must be equal, but are 3 and 2",
        when="build",
    ),
    Bad(_unsorted([0, 1, 1], -2, 2), "num_segments == -2 must not be negative", when="run"),
    Bad(
        lambda v: [v.any(3, 2), np.int32([0, 1, 1]), np.int32([2])],
        r"num_segments should be a scalar, not shape \[1\]",
        when="run",
    ),
)
OPS = (
    ("Sum", NUMBERS, "any"),
    ("Prod", NUMBERS, "positive"),
    ("Max", REAL, "distinct"),
    ("Min", REAL, "distinct"),
)

CASES = [
    *(
        Case(
            f"Segment{op}",
            _sorted(ids, *shape, index=index, make=make),
            dtypes if shape == (2,) else dtypes[:2],
            gradients=(0,),
            label=f"{ids}{shape}{index}",
            bad=SORTED_BAD if shape == (2,) else (),
        )
        for op, dtypes, make in (*OPS, ("Mean", NUMBERS, "any"))
        for ids, shape, index in (
            ([0, 0, 2, 2, 3], (2,), "int32"),
            ([0, 1, 1], (), "int64"),
            ([0], (2, 3), "int32"),
            ([], (2,), "int64"),
        )
    ),
    *(
        Case(
            f"UnsortedSegment{op}",
            _unsorted(ids, count, *shape, index=index, make=make),
            dtypes if shape == (2,) else dtypes[:2],
            static=(2,) if index == "int64" else (),
            gradients=(0,),
            # The extreme of nothing is the greatest float: no sum of outputs can hold it.
            numeric=op in ("Sum", "Prod") or index == "int64",
            label=f"{ids}{shape}{index}",
            bad=UNSORTED_BAD if shape == (2,) else (),
        )
        for op, dtypes, make in OPS
        for ids, count, shape, index in (
            ([3, 0, 3, -1, 2], 5, (2,), "int32"),
            ([1, 1, 0], 2, (), "int64"),
            ([[1, 0], [1, -7]], 2, (3,), "int32"),
            ([], 3, (2,), "int64"),
            (1, 2, (3, 2), "int32"),
        )
    ),
    Case(
        "SegmentProd",
        lambda v: [np.asarray([2, 0, 3, 0, 0, 5], v.dtype), np.int32([0, 0, 1, 2, 2, 2])],
        gradients=(0,),
        label="zeros",
    ),
    Case(
        "UnsortedSegmentProd",
        lambda v: [np.asarray([2, 0, 3], v.dtype), np.int32([0, 0, 1]), np.int32(2)],
        label="zeros",
    ),
    Case(
        "SegmentMean",
        lambda v: [np.asarray([-3, -4, 5], v.dtype), np.int32([0, 0, 1])],
        ("int32", "int64", "int8"),
        label="cut to zero",
    ),
    Case(
        "SegmentMax",
        lambda v: [np.asarray([3, 3, 1], v.dtype), np.int32([0, 0, 1])],
        gradients=(0,),
        numeric=False,
        label="ties",
    ),
]
