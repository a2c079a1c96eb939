"""Rows for ops that write updates into entries by index."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, REAL, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _grid(rows: list[list[int]]) -> np.ndarray:
    return np.array(rows, np.int32)


_FIVE = _grid([[4], [0], [2], [0]])
_MANY = np.random.default_rng(3).integers(0, 7, (200, 1)).astype(np.int32)


def _tensor_rows(op: str, dtypes: tuple[str, ...]) -> list[Case]:
    outer = r"Outer dim.* must match. Indices shape: \[1,1\], updates shape:\[2\]"
    distinct = _grid([[4], [0], [2]])
    unique = op == "TensorScatterUpdate"
    return [
        Case(
            op,
            lambda v: [v.distinct(5, 2), distinct, v.distinct(3, 2) + v.dtype.type(1)],
            tuple(
                d
                for d in dtypes
                if d not in ("string", "bool", "uint8", "uint16", "uint32", "uint64")
            ),
            gradients=(0, 2),
            bad=(
                Bad(
                    lambda v: [v.any(4), _grid([[5]]), v.any(1)],
                    r"indices\[0\] = \[5\] does not index into shape \[4\]",
                ),
                Bad(
                    lambda v: [v.any(4), _grid([[1]]), v.any(2)],
                    "Dimensions .0,1. of indices.*are 1 and 2",
                ),
                Bad(lambda v: [v.any(4), _grid([[1]]), v.any(2)], outer, when="run"),
                Bad(
                    lambda v: [v.any(0, 3), _grid([[1]]), v.any(1, 3)],
                    "Indices and updates specified for empty output",
                    when="run",
                ),
                Bad(
                    lambda v: [v.any(3), np.zeros((2, 0), np.int32), v.any(2, 3)],
                    "Indices and updates specified for empty output",
                ),
                Bad(
                    lambda v: [v.any(4), _grid([[1, 1]]), v.any(1)],
                    r"must match inner dimensions of updates shape. Output: \[4\] updates: \[1\]",
                ),
            ),
        ),
        Case(op, lambda v: [v.any(5, 2), distinct, v.any(3, 2)], dtypes, label="types"),
        Case(
            op,
            lambda v: [v.any(3, 2), _grid([[0, 1], [2, 0]]), v.any(2)],
            attrs={"bad_indices_policy": "ERROR"},
            gradients=(0, 2) if unique else (),
            label="elements",
        ),
        Case(
            op,
            lambda v: [v.any(3, 2), np.zeros((0, 1), np.int64), v.any(0, 2)],
            gradients=(0, 2),
            label="nothing",
        ),
        Case(
            op,
            lambda v: [v.any(3), _grid([[7], [1]]), v.any(2)],
            attrs={"bad_indices_policy": "IGNORE"},
            label="ignore",
        ),
        Case(
            op,
            lambda v: [v.any(7, 3), _MANY, v.any(200, 3)],
            ("float32", "float64", "int32"),
            rtol=1e-4,
            atol=1e-4,
            label="many",
        ),
    ]


CASES = [
    Case(
        "ScatterNd",
        lambda v: [_FIVE, v.any(4, 2), _ints(5, 2)],
        EVERY,
        static=(2,),
        gradients=(1,),
        bad=(
            Bad(
                lambda v: [_grid([[5]]), v.any(1), _ints(4)],
                r"indices\[0\] = \[5\] does not index into shape \[4\]",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(2), _ints(4)],
                r"Dimensions \[0,1\) of indices\[shape=\[1,1\]\] = \[1\] must match",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(2), _ints(4)],
                r"must match dimensions \[0,1\) of updates\[shape=\[2\]\]",
                when="run",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(1, 3), _ints(4, 2)],
                r"Dimensions \[1,2\) of input\[shape=\[4,2\]\]",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(1, 3), _ints(4, 2)],
                r"Dimensions \[1,2\) of input\[shape=\[4,2\]\]",
                when="run",
            ),
            Bad(lambda v: [_grid([[1]]), v.any(1), _ints(4)[0]], "must be rank 1 but is rank 0"),
            Bad(
                lambda v: [_grid([[1]]), v.any(1), _ints(4)[0]],
                "Shape must be a vector",
                when="run",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(1), _ints(0)],
                "specified for empty output",
                when="run",
            ),
            Bad(
                lambda v: [_ints(1)[0], v.any(1), _ints(4)], "must be at least rank 1 but is rank 0"
            ),
            Bad(
                lambda v: [_ints(1)[0], v.any(1), _ints(4)],
                r"Indices shape must have rank at least one. Found:\[\]",
                when="run",
            ),
            Bad(
                lambda v: [_grid([[1]]), v.any(1), _ints(-4)],
                "Dimension -4 must be >= 0",
                when="run",
            ),
            Bad(
                lambda v: [np.zeros((2, 0), np.int32), v.any(2, 3), _ints(3)],
                "Indices and updates specified for empty output shape",
            ),
        ),
    ),
    Case(
        "ScatterNd",
        lambda v: [_grid([[0, 1], [2, 0]]), v.any(2), _ints(3, 2)],
        gradients=(1,),
        label="fed elements",
    ),
    Case(
        "ScatterNd",
        lambda v: [np.zeros((0, 1), np.int64), v.any(0, 2), np.array([3, 2])],
        static=(2,),
        label="nothing",
    ),
    Case(
        "ScatterNd",
        lambda v: [_MANY, v.any(200, 3), _ints(7, 3)],
        ("float32", "float64", "float16", "bfloat16", "int8", "uint8", "complex64", "bool"),
        static=(2,),
        atol=0.3,
        rtol=0.1,
        label="many",
    ),
    Case(
        "ScatterNd",
        lambda v: [_grid([[7], [1], [-1]]), v.any(3), _ints(4)],
        attrs={"bad_indices_policy": "IGNORE"},
        label="ignore",
    ),
    Case(
        "ScatterNdNonAliasingAdd",
        lambda v: [v.any(5, 2), _FIVE, v.any(4, 2)],
        (*NUMBERS, "bool"),
        gradients=(0, 2),
    ),
    *_tensor_rows("TensorScatterUpdate", EVERY),
    *_tensor_rows("TensorScatterAdd", NUMBERS),
    *_tensor_rows("TensorScatterSub", NUMBERS),
    *_tensor_rows("TensorScatterMin", REAL),
    *_tensor_rows("TensorScatterMax", REAL),
]
