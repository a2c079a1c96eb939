"""Rows for ops that make tensors of one value."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case, unary

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


CASES = [
    Case(
        "Fill",
        lambda v: [_ints(2, 3), v.any()],
        EVERY,
        static=(0,),
        gradients=(1,),
        bad=(
            Bad(lambda v: [_ints(-1), v.any()], "Fill dimensions must be >= 0"),
            Bad(lambda v: [_ints(-2), v.any()], "Dimension -2 must be >= 0", when="run"),
            Bad(lambda v: [_ints(2), v.any(2)], "must be rank 0 but is rank 1"),
            Bad(lambda v: [_ints(2), v.any(2)], r"scalar, got shape \[2\]", when="run"),
        ),
    ),
    Case("Fill", lambda v: [_ints(2, 0).astype(np.int64), v.any()], label="empty int64"),
    Case(
        "Fill",
        lambda v: [_ints(), v.any()],
        ("float32", "string"),
        static=(0,),
        gradients=(1,),
        label="scalar",
    ),
    *unary("ZerosLike", EVERY),
    *unary("OnesLike", (*NUMBERS, "bool")),
    Case(
        "Empty",
        lambda v: [_ints(2, 3)],
        EVERY,
        attrs={"init": True},
        type_attr="dtype",
        static=(0,),
        bad=(
            Bad(lambda v: [_ints(-1)], "Dimension -1 must be >= 0"),
            Bad(lambda v: [_ints(1)[0]], "must be rank 1 but is rank 0"),
        ),
    ),
]
