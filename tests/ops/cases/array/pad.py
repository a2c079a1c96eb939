"""Rows for ops that put a border around a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

EVERY = (*NUMBERS, "bool", "string")
REFLECT, SYMMETRIC = {"mode": "REFLECT"}, {"mode": "SYMMETRIC"}


def _table(*rows: Any) -> np.ndarray:
    return np.array(rows, np.int32).reshape(len(rows), 2)


_BAD_TABLES = (
    Bad(lambda v: [v.any(3, 2), _table((1, 1))], "must be rank 1 but is rank 2"),
    Bad(lambda v: [v.any(3, 2), _table((1, 1))], r"must be the rank of inputs\[1,2\]", when="run"),
    Bad(lambda v: [v.any(3, 2), _table((1, 1), (-1, 0))], "Paddings must be non-negative"),
    Bad(
        lambda v: [v.any(3, 2), _table((1, 1), (-1, 0))],
        "(?i)paddings must be non-negative: -1 0",
        when="run",
    ),
    Bad(lambda v: [v.any(3, 2), _table((1, 1))[0]], "must be rank 2 but is rank 1"),
    Bad(
        lambda v: [v.any(3, 2), _table((1, 1))[0]],
        r"paddings must be a matrix with 2 columns: \[2\]",
        when="run",
    ),
    Bad(lambda v: [v.any(3, 2), _table((1, 1)).T], "Dimension must be 2 but is 1"),
)

CASES = [
    Case(
        "Pad",
        lambda v: [v.any(2, 3), _table((1, 2), (0, 1))],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=_BAD_TABLES,
    ),
    Case("Pad", lambda v: [v.any(2, 3), _table((1, 2), (0, 1))], gradients=(0,), label="fed"),
    Case(
        "Pad",
        lambda v: [v.any(0, 3), _table((1, 2), (0, 1)).astype(np.int64)],
        static=(1,),
        gradients=(0,),
        label="empty",
    ),
    Case("Pad", lambda v: [v.any(), _table()], ("float32", "string"), static=(1,), label="scalar"),
    Case(
        "PadV2",
        lambda v: [v.any(2, 3), _table((1, 2), (0, 1)), v.any()],
        EVERY,
        static=(1,),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(2, 3), _table((1, 2), (0, 1)), v.any(2)],
                r"constant_values must be a scalar. Found: \[2\]",
            ),
        ),
    ),
    Case(
        "MirrorPad",
        lambda v: [v.any(3, 4), _table((2, 1), (0, 3))],
        EVERY,
        attrs=REFLECT,
        static=(1,),
        gradients=(0,),
        label="reflect",
        bad=(
            *_BAD_TABLES,
            Bad(
                lambda v: [v.any(3, 2), _table((3, 1), (1, 0))],
                "less than the dimension size: 3, 1 not less than 3",
            ),
            Bad(
                lambda v: [v.any(0, 2), _table((0, 0), (1, 0))],
                "less than the dimension size: 0, 0 not less than 0",
            ),
            Bad(
                lambda v: [v.any(3, 2), _table((1, 1))],
                r"the rank of inputs\[1,2\], \[3,2\]",
                when="run",
            ),
            Bad(
                lambda v: [v.any(2), _table((-1, 0))],
                "paddings must be non-negative: -1 0",
                when="run",
            ),
        ),
    ),
    Case(
        "MirrorPad",
        lambda v: [v.any(3, 4), _table((3, 1), (0, 4))],
        EVERY,
        attrs=SYMMETRIC,
        static=(1,),
        gradients=(0,),
        label="symmetric",
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _table((4, 1), (1, 0))],
                "no greater than the dimension size: 4, 1 greater than 3",
            ),
        ),
    ),
    Case(
        "MirrorPad",
        lambda v: [v.any(3), _table((1, 1))],
        attrs=REFLECT,
        gradients=(0,),
        label="fed",
    ),
    Case(
        "MirrorPadGrad",
        lambda v: [v.any(6, 7), _table((2, 1), (0, 3))],
        NUMBERS,
        attrs=REFLECT,
        static=(1,),
        gradients=(0,),
        label="reflect",
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _table((1, 1), (0, 0))],
                "less than the output dimension size: 1, 1 not less than 1",
            ),
        ),
    ),
    Case(
        "MirrorPadGrad",
        lambda v: [v.any(7, 8), _table((3, 1), (0, 4))],
        NUMBERS,
        attrs=SYMMETRIC,
        gradients=(0,),
        label="symmetric",
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _table((2, 2), (0, 0))],
                "input dimension size: 4 was not less than 3",
            ),
        ),
    ),
]
