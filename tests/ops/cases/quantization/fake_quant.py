"""Rows for numbers rounded to those that few bits can tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case

X = np.array([-7, -6, -5.98, -1, -0.02, 0, 0.01, 0.03, 1, 5.9, 6, 7, np.nan, np.inf], np.float32)
FINITE = X[:12]
TABLE = np.stack([FINITE, FINITE / 3], 1)
LOW, HIGH = np.array([-6, 0], np.float32), np.array([6, 1], np.float32)


def _f(value: Any) -> np.ndarray:
    return np.array(value, np.float32)


ARGS: tuple[dict[str, Any], ...] = (
    {},
    {"narrow_range": True},
    {"num_bits": 4, "min": 0.1, "max": 6.0},
    {"min": -7.0, "max": -1.0},
)
BOUNDS = ((-6, 6), (-0.3, 2), (0, 0), (1, 2))
BITS: tuple[dict[str, Any], ...] = ({}, {"num_bits": 3, "narrow_range": True})
BAD_BITS = tuple(
    Bad(lambda v: [X], "num_bits must be between 2 and 16", attrs={"num_bits": bits})
    for bits in (1, 17)
)

CASES = [
    *(
        Case(
            "FakeQuantWithMinMaxArgs",
            lambda v, x=x: [x],
            ("float32",),
            attrs=attrs,
            gradients=(0,),
            label=f"{attrs}{x.size}",
            bad=()
            if attrs
            else (
                *BAD_BITS,
                Bad(
                    lambda v: [X],
                    "min has to be smaller than max, was: 2 >= 1",
                    attrs={"min": 2.0, "max": 1.0},
                ),
            ),
        )
        for attrs in ARGS
        for x in (X, FINITE)
    ),
    *(
        Case(
            "FakeQuantWithMinMaxArgsGradient",
            lambda v: [_f(np.arange(X.size)), X],
            ("float32",),
            attrs=attrs,
            label=str(attrs),
        )
        for attrs in ARGS
    ),
    *(
        Case(
            "FakeQuantWithMinMaxVars",
            lambda v, b=bounds: [FINITE, _f(b[0]), _f(b[1])],
            ("float32",),
            attrs=attrs,
            gradients=(0, 1, 2),
            label=f"{bounds}{attrs}",
            rtol=1e-4,
            bad=(
                Bad(
                    lambda v: [X, _f([1]), _f(2)], "`min` must be rank 0 but is rank 1", when="run"
                ),
                Bad(
                    lambda v: [X, _f([1]), _f(2)],
                    "Shape must be rank 0 but is rank 1",
                    when="build",
                ),
            ),
        )
        for bounds in BOUNDS
        for attrs in BITS
    ),
    Case(
        "FakeQuantWithMinMaxVars",
        lambda v: [FINITE, _f(0.5), _f(-0.5)],
        ("float32",),
        label="bounds that have crossed",
        rtol=1e-4,
    ),
    *(
        Case(
            "FakeQuantWithMinMaxVarsGradient",
            lambda v, b=bounds: [_f(np.arange(FINITE.size)), FINITE, _f(b[0]), _f(b[1])],
            ("float32",),
            attrs=attrs,
            label=f"{bounds}{attrs}",
        )
        for bounds in BOUNDS
        for attrs in BITS
    ),
    *(
        Case(
            "FakeQuantWithMinMaxVarsPerChannel",
            lambda v, x=x: [x, LOW, HIGH],
            ("float32",),
            attrs=attrs,
            gradients=(0, 1, 2),
            label=f"{x.shape}{attrs}",
            rtol=1e-4,
            bad=(
                Bad(
                    lambda v: [TABLE, LOW[:1], HIGH],
                    "min has incorrect size, expected 2 was 1",
                    when="run",
                ),
                Bad(
                    lambda v: [TABLE, LOW[0], HIGH],
                    "`min` must be rank 1 but is rank 0",
                    when="run",
                ),
            ),
        )
        for x in (TABLE, TABLE[0], TABLE.reshape(3, 4, 2), TABLE.reshape(1, 3, 4, 2))
        for attrs in BITS
    ),
    *(
        Case(
            "FakeQuantWithMinMaxVarsPerChannelGradient",
            lambda v: [_f(np.arange(TABLE.size)).reshape(TABLE.shape), TABLE, LOW, HIGH],
            ("float32",),
            attrs=attrs,
            label=str(attrs),
        )
        for attrs in BITS
    ),
]
