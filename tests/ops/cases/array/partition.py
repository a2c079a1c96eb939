"""Rows for ops that sort entries into several tensors and back."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _stitch(op: str) -> list[Case]:
    return [
        Case(
            op,
            lambda v: [
                [_ints(0, 4), np.array([[1, 3], [2, 5]], np.int32)],
                [v.any(2, 3), v.any(2, 2, 3)],
            ],
            EVERY,
            gradients=(2, 3),
            bad=(
                Bad(
                    lambda v: [[_ints(0, 1), _ints(2)], [v.any(2), v.any(2)]],
                    "Dimensions must be equal, but are 2 and 1",
                ),
                Bad(
                    lambda v: [[_ints(0, 1), _ints(2)], [v.any(2), v.any(2)]],
                    r"data\[1\].shape = \[2\] does not start with indices\[1\].shape = \[1\]",
                    when="run",
                ),
                Bad(
                    lambda v: [[_ints(0, -1), _ints(2)], [v.any(2), v.any(1)]],
                    r"indices\[1\] is out of range",
                ),
                Bad(
                    lambda v: [[_ints(0, 1), _ints(2)], [v.any(2, 1), v.any(1, 2)]],
                    "are 1 and 2. Shapes are .1. and .2.",
                ),
                Bad(
                    lambda v: [[_ints(0, 1), _ints(2)], [v.any(2, 1), v.any(1, 2)]],
                    r"Need data\[0\].shape\[1:\] = data\[1\].shape\[1:\], got data.* = \[2,1\]",
                    when="run",
                ),
            ),
        ),
        Case(
            op,
            lambda v: [[_ints(2, 0), np.array(1, np.int32)], [v.any(2), v.any()]],
            ("float32", "string"),
            static=(0,),
            gradients=(2, 3),
            label="known",
        ),
        Case(op, lambda v: [[np.zeros(0, np.int32)], [v.any(0, 2)]], label="empty"),
    ]


CASES = [
    *_stitch("DynamicStitch"),
    *_stitch("ParallelDynamicStitch"),
    Case(
        "DynamicStitch",
        lambda v: [[_ints(0, 1), _ints(1)], [v.any(2, 2), v.any(1, 2)]],
        ("float32", "string"),
        label="last wins",
    ),
    Case(
        "DynamicPartition",
        lambda v: [v.any(4, 2), _ints(2, 0, 2, 0)],
        EVERY,
        attrs={"num_partitions": 3},
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3), _ints(0, 1, 2)],
                r"partitions\[2\] = 2 is not in \[0, 2\)",
                {"num_partitions": 2},
            ),
            Bad(
                lambda v: [v.any(3), _ints(0, -1, 0)],
                r"partitions\[1\] = -1 is not in \[0, 2\)",
                {"num_partitions": 2},
            ),
            Bad(
                lambda v: [v.any(3), _ints(0, 1)],
                "Dimensions must be equal, but are 3 and 2",
                {"num_partitions": 2},
            ),
            Bad(
                lambda v: [v.any(3), _ints(0, 1)],
                r"got data.shape = \[3\], partitions.shape = \[2\]",
                {"num_partitions": 2},
                when="run",
            ),
        ),
    ),
    Case(
        "DynamicPartition",
        lambda v: [v.any(2, 2, 3), np.array([[1, 0], [0, 0]], np.int32)],
        attrs={"num_partitions": 2},
        gradients=(0,),
        label="matrix",
    ),
    Case(
        "DynamicPartition",
        lambda v: [v.any(0, 3), np.zeros(0, np.int32)],
        attrs={"num_partitions": 2},
        label="empty",
    ),
    Case(
        "DynamicPartition",
        lambda v: [v.any(), np.array(0, np.int32)],
        attrs={"num_partitions": 1},
        label="scalar",
    ),
]
