"""Rows for grey-scale dilation."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, REAL, Bad, Case, Values

_PLAIN = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
_MOVING = {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "VALID"}


def _with_nan(v: Values) -> np.ndarray:
    images = v.distinct(1, 4, 5, 2)
    images[0, 1:3, 2] = np.nan
    return images


CASES = [
    *(
        Case(
            "Dilation2D",
            lambda v: [v.distinct(2, 5, 6, 2), v.any(2, 3, 2)],
            REAL if attrs is _PLAIN else FLOAT32_64,
            attrs=attrs,
            gradients=(0, 1),
            label=str(attrs["padding"]),
            bad=(
                Bad(
                    lambda v: [v.any(1, 3, 3, 2), v.any(2, 2, 1)],
                    "Dimensions must be equal, but are 2 and 1",
                    when="build",
                ),
                Bad(
                    lambda v: [v.any(1, 3, 3, 2), v.any(2, 2, 1)],
                    "input and filter must have the same depth: 2 vs 1",
                    when="run",
                ),
            ),
        )
        for attrs in (_PLAIN, _MOVING)
    ),
    Case(
        "Dilation2D",
        lambda v: [_with_nan(v), v.any(2, 2, 2)],
        FLOAT32_64,
        attrs=_PLAIN,
        label="NaN",
    ),
    *(
        Case(
            op,
            lambda v: [v.distinct(2, 5, 6, 2), v.any(2, 3, 2), v.any(2, 5, 6, 2)],
            attrs=_PLAIN,
        )
        for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter")
    ),
]
