"""Rows for ops that repeat a tensor along dimensions."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


_SHAPES = (
    ((2, 1), (2, 1)),
    ((1,), (1,)),
    ((1, 1), (1,)),
    ((2, 1, 3), (1, 3)),
    ((1, 2), (2,)),
    ((2, 1, 1), (1, 1)),
    ((), ()),
    ((0,), (1,)),
    ((3, 1), (3, 1, 1)),
    ((2, 3), ()),
)


def _shape_rows(op: str) -> list[Case]:
    bad = (
        Bad(lambda v: [_ints(2), _ints(3)], r"Incompatible shapes: \[2\] vs. \[3\]"),
        Bad(lambda v: [_ints(2)[0], _ints(3)], "must be rank 1 but is rank 0"),
        Bad(lambda v: [_ints(2)[0], _ints(3)], r"In\[0\] must be a vector", when="run"),
    )
    return [
        Case(
            op,
            lambda v, a=a, b=b: [np.array(a, v.dtype), np.array(b, v.dtype)],
            ("int32", "int64"),
            label=f"{a}{b}",
            bad=bad if i == 0 else (),
        )
        for i, (a, b) in enumerate(_SHAPES)
    ]


CASES = [
    Case(
        "Tile",
        lambda v: [v.any(2, 3), _ints(2, 3)],
        # TensorFlow's kernel leaves uint16 out.
        tuple(name for name in EVERY if name != "uint16"),
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(3, 2), _ints(1)], "must be rank 2 but is rank 1"),
            Bad(
                lambda v: [v.any(3, 2), _ints(1)], "vector of length 2 but got length 1", when="run"
            ),
            Bad(lambda v: [v.any(3, 2), _ints(1, -1)], r"Expected multiples\[1\] >= 0, but got -1"),
            Bad(lambda v: [v.any(3, 2), _ints(1, 1).reshape(1, 2)], "must be rank 1 but is rank 2"),
            Bad(
                lambda v: [v.any(3, 2), _ints(1, 1).reshape(1, 2)],
                r"to be 1-D, but got shape \[1,2\]",
                when="run",
            ),
        ),
    ),
    Case(
        "Tile", lambda v: [v.any(2, 3), _ints(0, 2).astype(np.int64)], gradients=(0,), label="fed"
    ),
    Case("Tile", lambda v: [v.any(), _ints()], ("float32", "string"), static=(1,), label="scalar"),
    Case("Tile", lambda v: [v.any(0, 3), _ints(2, 2)], static=(1,), gradients=(0,), label="empty"),
    Case(
        "BroadcastTo",
        lambda v: [v.any(2, 1), _ints(3, 2, 4)],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(3, 2), _ints(2)], "must be at most rank 1 but is rank 2"),
            Bad(
                lambda v: [v.any(3, 2), _ints(2)],
                r"Rank of input \(2\) must be no greater",
                when="run",
            ),
            Bad(lambda v: [v.any(3, 2), _ints(3, 3)], "Dimensions must be equal, but are 2 and 3"),
            Bad(
                lambda v: [v.any(3, 2), _ints(3, 3)],
                r"Incompatible shapes: \[3,2\] vs. \[3,3\]",
                when="run",
            ),
            Bad(lambda v: [v.any(3, 2), _ints(3)[0]], "must be rank 1 but is rank 0"),
            Bad(lambda v: [v.any(3, 2), _ints(-1, 2)], "Dimension -1 must be >= 0", when="run"),
        ),
    ),
    Case(
        "BroadcastTo",
        lambda v: [v.any(), _ints(2, 3)],
        ("float32", "float64", "string"),
        gradients=(0,),
        label="fed scalar",
    ),
    Case(
        "BroadcastTo",
        lambda v: [v.any(1, 3), _ints(0, 3)],
        static=(1,),
        gradients=(0,),
        label="empty",
    ),
    *_shape_rows("BroadcastArgs"),
    *_shape_rows("BroadcastGradientArgs"),
]
