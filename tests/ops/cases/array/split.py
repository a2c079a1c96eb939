"""Rows for ops that cut a tensor into pieces."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


CASES = [
    Case(
        "Split",
        lambda v: [_scalar(0), v.any(4, 3)],
        EVERY,
        attrs={"num_split": 2},
        static=(0,),
        gradients=(1,),
        bad=(
            Bad(
                lambda v: [_scalar(0), v.any(3, 2)],
                "evenly divisible by 2 but is 3(?s:.*)Number of ways to split",
            ),
            Bad(
                lambda v: [_scalar(0), v.any(3, 2)],
                r"split_dim 0 \(size = 3\) and num_split 2",
                when="run",
            ),
            Bad(
                lambda v: [_scalar(2), v.any(4, 2)],
                r"given by scalar input 2 must be in range \[-2, 2\)",
            ),
            Bad(
                lambda v: [_scalar(2), v.any(4, 2)],
                r"-input rank\(-2\) <= split_dim < input rank \(2\), but got 2",
                when="run",
            ),
            Bad(lambda v: [_ints(0), v.any(4, 2)], "Input must be scalar but has rank 1"),
            Bad(
                lambda v: [_ints(0), v.any(4, 2)],
                "split_dim must be a scalar but has rank 1",
                when="run",
            ),
        ),
    ),
    Case(
        "Split",
        lambda v: [_scalar(-1), v.any(2, 6)],
        attrs={"num_split": 3},
        static=(0,),
        gradients=(1,),
        label="last",
    ),
    Case(
        "Split",
        lambda v: [_scalar(1), v.any(2, 6)],
        attrs={"num_split": 3},
        gradients=(1,),
        label="fed axis",
    ),
    Case(
        "Split",
        lambda v: [_scalar(0), v.any(2, 2)],
        attrs={"num_split": 1},
        static=(0,),
        gradients=(1,),
        label="one",
    ),
    Case(
        "SplitV",
        lambda v: [v.any(5, 2), _ints(1, -1, 2), _scalar(0)],
        EVERY,
        attrs={"num_split": 3},
        static=(1, 2),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 1), _scalar(0)],
                r"can't split axis of size 3 into pieces of size \[1,1\]",
                {"num_split": 2},
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 1), _scalar(0)],
                "if not fully specified.  Got: 2",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(-1, -1), _scalar(0)],
                "size_splits can only have one -1",
                {"num_split": 2},
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(-1, -1), _scalar(0)],
                "There can only be one -1",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(4, -1), _scalar(0)],
                "Split size at index 1 must be >= 0. Got: -1",
                {"num_split": 2},
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(4, -1), _scalar(0)],
                "Got: 4",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 1, 1), _scalar(0)],
                "should be equal to num_outputs",
                {"num_split": 2},
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(2), _scalar(0)],
                "same size as the input. Input size: 3 output size: 2",
                {"num_split": 1},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 2), _ints(0, 0)],
                "split_dim_tensor must have exactly one element",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 1, 1), _scalar(0)],
                "1 -D and 3 elements",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(-2, 5), _scalar(0)],
                "Split size at index 0 must be >= 0. Got: -2",
                {"num_split": 2},
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(-2, 5), _scalar(0)],
                "Split size at index 0 must be >= 0. Got: -2",
                {"num_split": 2},
                when="run",
            ),
            Bad(
                lambda v: [v.any(), _ints(1, 2), _scalar(0)],
                "Can't split scalars",
                {"num_split": 2},
            ),
        ),
    ),
    Case(
        "SplitV",
        lambda v: [v.any(2, 5), _ints(0, 5), _scalar(-1)],
        attrs={"num_split": 2},
        gradients=(0,),
        label="fed",
    ),
    Case(
        "SplitV",
        lambda v: [v.any(2, 5), np.array([3, 2], np.int64), _scalar(1)],
        attrs={"num_split": 2},
        static=(2,),
        gradients=(0,),
        label="fed sizes",
    ),
    Case(
        "SplitV",
        lambda v: [v.any(2, 2), _ints(2), _scalar(0)],
        attrs={"num_split": 1},
        static=(1, 2),
        gradients=(0,),
        label="one",
    ),
]
