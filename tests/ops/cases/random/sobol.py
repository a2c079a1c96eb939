"""Rows for Sobol's sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values


def _numbers(*numbers: int) -> Any:
    def args(v: Values) -> list[Any]:
        return [np.int32(number) for number in numbers]

    return args


CASES = [
    Case(
        "SobolSample",
        _numbers(*numbers),
        FLOAT32_64 if numbers[0] == 5 else ("float64",),
        type_attr="dtype",
        label=str(numbers[0]),
        bad=(
            Bad(_numbers(0, 4, 0), "dim must be at least one", when="run"),
            Bad(_numbers(2, 0, 0), "num_results must be at least one", when="run"),
            Bad(_numbers(2, 1, -1), "skip must be non-negative", when="run"),
        )
        if numbers[0] == 5
        else (),
    )
    for numbers in ((5, 10, 3), (1, 4, 0), (300, 6, 1000))
]
