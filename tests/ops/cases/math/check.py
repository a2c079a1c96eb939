"""Rows for the checks of numbers."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOATS, Bad, Case, Values


def _cast(v: Values, *values: float) -> list[np.ndarray]:
    return [np.asarray(x).astype(v.dtype) for x in values]


CASES = [
    *(
        Case(
            op,
            lambda v, s=s: [v.any(*s)],
            FLOATS,
            attrs={"message": "here"},
            gradients=(0,),
            label=str(s),
            bad=tuple(
                Bad(lambda v, x=x: _cast(v, x), f"here : Tensor had {text} values", when="run")
                for x, text in (
                    ([1, np.nan], "NaN"),
                    ([1, -np.inf], "-?Inf"),
                    ([np.inf, -np.inf, np.nan], r"(Inf and NaN|-Inf, \+Inf, and NaN)"),
                )
            ),
        )
        for op in ("CheckNumerics", "CheckNumericsV2")
        for s in ((2, 3), (), (0,))
    ),
]
