"""Rows for ClipByValue."""

from __future__ import annotations

from tests.ops.case import COMPLEX, FLOATS, Bad, Case

CASES = [
    *(
        Case(
            "ClipByValue",
            lambda v, s=shape, b=bound: [v.any(*s), v.positive(*b) * 0, v.positive(*b)],
            (*FLOATS, "int32", "int64", "int8", "int16", "uint8", "uint16"),
            gradients=(0, 1, 2),
            label=f"{shape}{bound}",
            bad=(
                Bad(
                    lambda v: [v.any(2, 4), v.any(3, 4), v.any()],
                    "must be either of the same shape as input, or a scalar",
                    when="run",
                ),
            ),
        )
        for shape, bound in (((2, 3), ()), ((2, 3), (2, 3)), ((), ()), ((0, 2), ()))
    ),
    Case("ClipByValue", lambda v: [v.any(9), v.any(), v.any()], COMPLEX, label="complex"),
]
