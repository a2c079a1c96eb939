"""Rows for running sums and products."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOATS, NUMBERS, Bad, Case

BAD = (
    Bad(
        lambda v: [v.any(2, 3), np.int32(4)],
        r"Expected scan axis in the range \[-2, 2\), but got 4",
    ),
    Bad(
        lambda v: [v.any(2, 3), np.int32(-5)],
        r"Expected scan axis in the range \[-2, 2\), but got -3",
    ),
    Bad(lambda v: [v.any(2, 3), np.int32([1])], "axis must be a scalar"),
    Bad(lambda v: [v.any(), np.int32(0)], r"Expected scan axis in the range \[0, 0\)"),
)


def _rows(op: str, dtypes: tuple[str, ...], make: str) -> list[Case]:
    return [
        Case(
            op,
            lambda v, s=shape, a=axis: [getattr(v, make)(*s), np.int32(a)],
            dtypes if shape == (3, 2) else dtypes[:2],
            attrs={"exclusive": exclusive, "reverse": reverse},
            gradients=(0,),
            # The logarithm of an empty sum is minus infinity.
            numeric=not (exclusive and op == "CumulativeLogsumexp"),
            # The running product divides by elements: float32 differs in the last digits.
            rtol=1e-4 if op == "CumulativeLogsumexp" and shape != (3, 2) else None,
            label=f"{shape}{axis}{exclusive}{reverse}",
            bad=BAD if shape == (5,) else (),
        )
        for shape, axis in (((5,), 0), ((3, 2), 0), ((2, 3, 2), -2), ((2, 3), 1), ((0, 2), 0))
        for exclusive in (False, True)
        for reverse in (False, True)
    ]


CASES = [
    *_rows("Cumsum", NUMBERS, "any"),
    *_rows("Cumprod", NUMBERS, "positive"),
    *_rows("CumulativeLogsumexp", FLOATS, "any"),
]
