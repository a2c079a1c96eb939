"""Rows for ops that move blocks of space into the batch or the channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import NUMBERS, REAL, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _table(*rows: Any) -> np.ndarray:
    return np.array(rows, np.int32).reshape(len(rows), 2)


_NONE = _table((0, 0), (0, 0))

CASES = [
    Case(
        "SpaceToBatchND",
        lambda v: [v.any(2, 3, 5, 2), _ints(2, 3), _table((1, 0), (0, 1))],
        REAL,
        static=(1, 2),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(1, 3, 2, 1), _ints(2, 2), _NONE], "evenly divisible by 2 but is 3"
            ),
            Bad(
                lambda v: [v.any(1, 3), _ints(2, 2), _NONE], "must be at least rank 3 but is rank 2"
            ),
            Bad(lambda v: [v.any(1, 2, 2, 1), _ints(2, 0), _NONE], "block_shape must be positive"),
            Bad(
                lambda v: [v.any(1, 2, 2, 1), _ints(2, 2), _table((0, 0), (-2, 0))],
                "paddings cannot be negative",
            ),
            Bad(
                lambda v: [v.any(1, 2, 2, 1), _ints(2, 2), _table((0, 0))],
                "must be equal, but are 1 and 2",
            ),
            Bad(
                lambda v: [v.any(1, 2, 2, 1), _ints(2)[0], _table((0, 0))],
                "block_shape must have rank 1",
            ),
        ),
    ),
    Case(
        "SpaceToBatchND",
        lambda v: [v.any(2, 4, 2), _ints(2), _table((2, 0))],
        static=(1,),
        gradients=(0,),
        label="fed paddings",
    ),
    Case(
        "SpaceToBatchND",
        lambda v: [v.any(2, 4), _ints(2), _table((1, 1))],
        static=(1, 2),
        label="no channels",
    ),
    Case(
        "SpaceToBatchND",
        lambda v: [v.any(0, 4, 2), _ints(2), _table((1, 1))],
        static=(1, 2),
        label="empty",
    ),
    Case(
        "BatchToSpaceND",
        lambda v: [v.any(12, 2, 2, 2), _ints(2, 3), _table((1, 0), (0, 1))],
        REAL,
        static=(1, 2),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3, 1, 1, 1), _ints(2, 2), _NONE], "evenly divisible by 2 but is 3"
            ),
            Bad(
                lambda v: [v.any(4, 1, 1, 1), _ints(2, 2), _table((0, 0), (-1, 0))],
                "crops cannot be negative",
            ),
            Bad(
                lambda v: [v.any(4, 1, 1, 1), _ints(2, 2), _table((0, 3), (0, 0))],
                "caused by subtracting 3 from 2",
            ),
            Bad(lambda v: [v.any(4), _ints(2, 2), _NONE], "must be at least rank 3 but is rank 1"),
        ),
    ),
    Case(
        "BatchToSpaceND",
        lambda v: [v.any(4, 2, 2), _ints(2), _table((1, 1))],
        static=(1,),
        gradients=(0,),
        label="fed crops",
    ),
    Case(
        "SpaceToBatch",
        lambda v: [v.any(2, 3, 4, 2), _table((1, 0), (0, 2))],
        REAL,
        attrs={"block_size": 2},
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(1, 3, 2, 1), _NONE], "evenly divisible by 2 but is 3"),
            Bad(
                lambda v: [v.any(1, 3, 2, 1), _NONE],
                r"padded_shape\[0\]=3 is not divisible by block_shape\[0\]=2",
                when="run",
            ),
            Bad(lambda v: [v.any(1, 3), _NONE], "must be rank 4 but is rank 2"),
            Bad(lambda v: [v.any(1, 3), _NONE], "Input rank should be: 4", when="run"),
        ),
    ),
    Case(
        "BatchToSpace",
        lambda v: [v.any(8, 2, 2, 2), _table((1, 0), (0, 2))],
        REAL,
        attrs={"block_size": 2},
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(3, 1, 1, 1), _NONE], "evenly divisible by 2 but is 3"),
            Bad(
                lambda v: [v.any(3, 1, 1, 1), _NONE],
                r"\(3\) is not divisible by product of block sizes \(4\)",
                when="run",
            ),
        ),
    ),
    Case(
        "SpaceToDepth",
        lambda v: [v.any(2, 4, 6, 3)],
        EVERY,
        attrs={"block_size": 2},
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(1, 3, 2, 1)], "evenly divisible by 2 but is 3"),
            Bad(
                lambda v: [v.any(1, 3, 2, 1)],
                "Image width 2 and height 3 should be divisible by block_size: 2",
                when="run",
            ),
            Bad(lambda v: [v.any(1, 3, 2)], "must be rank 4 but is rank 3"),
            Bad(lambda v: [v.any(1, 3, 2)], "Input rank should be 4 instead of 3", when="run"),
        ),
    ),
    Case(
        "DepthToSpace",
        lambda v: [v.any(2, 2, 3, 8)],
        EVERY,
        attrs={"block_size": 2},
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(1, 3, 2, 3)], "evenly divisible by 4 but is 3"),
            Bad(
                lambda v: [v.any(1, 3, 2, 3)],
                "Input depth dimension 3 should be divisible by: 4",
                when="run",
            ),
        ),
    ),
]
