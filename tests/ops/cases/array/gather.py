"""Rows for ops that look up entries by index."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


def _grid(rows: list[list[int]]) -> np.ndarray:
    return np.array(rows, np.int32)


CASES = [
    Case(
        "Gather",
        lambda v: [v.any(4, 3), _grid([[0, 3], [1, 0]])],
        EVERY,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(3, 2), _ints(3)], r"indices\[0\] = 3 is not in \[0, 3\)"),
            Bad(lambda v: [v.any(), _ints(3)], "must be at least rank 1 but is rank 0"),
            Bad(lambda v: [v.any(), _ints(3)], "params must be at least 1 dimensional", when="run"),
        ),
    ),
    Case(
        "Gather",
        lambda v: [v.any(4), np.array(2, np.int64)],
        ("float32", "string"),
        gradients=(0,),
        label="scalar",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(4, 3), _grid([[0, 3], [1, 0]]), _scalar(0)],
        EVERY,
        static=(2,),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _ints(3), _scalar(0)],
                r"indices\[0\] = 3 is not in \[0, 3\)",
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0, -1]]), _scalar(0)],
                r"indices\[0,1\] = -1 is not in \[0, 3\)",
            ),
            Bad(lambda v: [v.any(3, 2), _scalar(5), _scalar(0)], r"indices = 5 is not in \[0, 3\)"),
            Bad(
                lambda v: [v.any(3, 2), _ints(0), _scalar(2)],
                "must be at least rank 3 but is rank 2",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(0), _scalar(2)],
                "must be at least rank 3 but is rank 2",
                when="run",
            ),
            Bad(lambda v: [v.any(3, 2), _ints(0), _ints(0, 0)], "must be rank 0 but is rank 1"),
            Bad(lambda v: [v.any(3, 2), _ints(0), _ints(0, 0)], "axis must be scalar", when="run"),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0], [1]]), _scalar(1)],
                r"params.shape\[0\]: 3 should be equal to indices.shape\[0\]: 2",
                {"batch_dims": 1},
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0], [1], [0]]), _scalar(0)],
                r"batch_dims \(1\) must be less than or equal to axis \(0\)",
                {"batch_dims": 1},
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0], [1], [0]]), _scalar(0)],
                r"Expected batch_dims in the range \[-2, 2\], but got 3",
                {"batch_dims": 3},
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0], [1], [5]]), _scalar(1)],
                r"indices\[2,0\] = 5 is not in \[0, 2\)",
                {"batch_dims": 1},
            ),
        ),
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 4, 3), _ints(3, 1), _scalar(1)],
        EVERY,
        static=(2,),
        gradients=(0,),
        label="axis 1",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 4), _ints(3, 1, 1), _scalar(-1)],
        static=(2,),
        gradients=(0,),
        label="axis -1",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 4), _ints(1, 1), _scalar(0)],
        gradients=(0,),
        label="fed axis",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(4), _scalar(2), _scalar(0)],
        ("float32", "float64", "string"),
        static=(2,),
        gradients=(0,),
        label="scalar",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(4, 2), np.zeros((0,), np.int32), _scalar(0)],
        static=(2,),
        gradients=(0,),
        label="nothing",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(4, 0), np.array([1], np.int16), _scalar(0)],
        static=(2,),
        label="empty int16",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 4, 3), _grid([[0, 3, 3], [1, 0, 2]]), _scalar(1)],
        EVERY,
        attrs={"batch_dims": 1},
        static=(2,),
        gradients=(0,),
        label="batch",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 3, 4, 2), _grid([[0, 3], [1, 0]]), _scalar(2)],
        attrs={"batch_dims": 1},
        static=(2,),
        gradients=(0,),
        label="batch before axis",
    ),
    Case(
        "GatherV2",
        lambda v: [v.any(2, 3, 4), _grid([[0, 3, 1], [1, 0, 2]]), _scalar(2)],
        attrs={"batch_dims": -1},
        static=(2,),
        label="negative batch",
    ),
    Case(
        "GatherNd",
        lambda v: [v.any(3, 4, 2), np.array([[[0, 3], [2, 1]], [[1, 0], [1, 0]]], np.int32)],
        EVERY,
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _grid([[3]])],
                r"indices\[0\] = \[3\] does not index into param shape \[3,2\], node name: Ga",
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0, 0, 0]])],
                r"but saw indices shape: \[1,3\] and params shape: \[3,2\]",
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0, 0, 0]])],
                "must be <= params rank; saw: 3 vs. 2",
                when="run",
            ),
            Bad(lambda v: [v.any(3, 2), _scalar(0)], "must be at least rank 1 but is rank 0"),
            Bad(
                lambda v: [v.any(3, 2), _scalar(0)], "indices must be at least a vector", when="run"
            ),
            Bad(lambda v: [v.any(), _ints(0)], "params must be at least a vector", when="run"),
            Bad(
                lambda v: [v.any(0, 2), _grid([[0]])],
                "Requested more than 0 entries, but params is empty",
            ),
            Bad(
                lambda v: [v.any(3, 2), _grid([[0]])],
                "No OpKernel was registered",
                {"bad_indices_policy": "FOO"},
            ),
        ),
    ),
    Case("GatherNd", lambda v: [v.any(3, 4), _ints(2, 1)], ("float32", "string"), label="one"),
    Case("GatherNd", lambda v: [v.any(3, 4), _grid([[2], [0], [2]])], gradients=(0,), label="rows"),
    Case("GatherNd", lambda v: [v.any(3, 4), np.zeros((2, 0), np.int64)], label="whole"),
    Case(
        "GatherNd",
        lambda v: [v.any(3, 4), np.zeros((0, 2), np.int64)],
        gradients=(0,),
        label="nothing",
    ),
    Case(
        "GatherNd",
        lambda v: [v.any(3, 4), _grid([[2, 7], [-1, 0], [2, 1]])],
        ("float32", "int32", "string"),
        attrs={"bad_indices_policy": "IGNORE"},
        label="ignore",
    ),
]
