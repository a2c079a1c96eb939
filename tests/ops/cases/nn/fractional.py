"""Rows for pooling whose windows differ in size."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.knowledge import PARTIAL, UNKNOWN

TYPES = ("float64", "float32", "int32", "int64")
FLOATING = ("float64", "float32")
RATIOS = ([1.0, 1.44, 1.73, 1.0], [1.0, 2.0, 1.0, 1.0])
SEEDS = {"deterministic": True, "seed": 7, "seed2": 12}
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"overlapping": True},
    {"pseudo_random": True},
    {"pseudo_random": True, "overlapping": True},
)
ROWS, COLUMNS = np.array([0, 2, 3, 5]), np.array([0, 1, 3])


def _max(x: np.ndarray, after: int) -> np.ndarray:
    """The maxima of windows, by hand."""
    rows = [x[:, a : min(b + after, 5)].max(1, keepdims=True) for a, b in itertools.pairwise(ROWS)]
    high = np.concatenate(rows, 1)
    columns = [
        high[:, :, a : min(b + after, 3)].max(2, keepdims=True)
        for a, b in itertools.pairwise(COLUMNS)
    ]
    return np.concatenate(columns, 2)


CASES = [
    *(
        Case(
            f"Fractional{kind}Pool",
            lambda v: [v.distinct(2, 8, 9, 3)],
            TYPES,
            attrs={"pooling_ratio": ratio, **SEEDS, **options},
            gradients=(0,) if ratio is RATIOS[0] else (),
            label=f"{ratio}{options}",
            # TensorFlow's static size of where windows begin is one too small.
            shapes=(PARTIAL, UNKNOWN),
            bad=(
                Bad(
                    lambda v: [v.any(2, 8, 9, 3)],
                    "Both seed and seed2 should be 0 if deterministic is false.",
                    attrs={"pooling_ratio": ratio, "seed": 3},
                ),
                Bad(
                    lambda v: [v.any(2, 8, 9, 3)],
                    f"Fractional {name} pooling is not yet supported on the batch nor channel "
                    "dimension",
                    attrs={"pooling_ratio": [2.0, 1.5, 1.5, 1.0]},
                ),
                Bad(
                    lambda v: [v.any(2, 8, 9, 3)],
                    "Pooling ratio is higher than input dimension size for dimension 2. Input dim "
                    "size: 9 pooling ratio: 9.5",
                    attrs={"pooling_ratio": [1.0, 1.5, 9.5, 1.0]},
                ),
            ),
        )
        for kind, name in (("Max", "max"), ("Avg", "average"))
        for ratio in RATIOS
        for options in OPTIONS
    ),
    *(
        Case(
            "FractionalMaxPoolGrad",
            lambda v, after=after: [
                (x := v.distinct(2, 5, 3, 2)),
                (y := _max(x, after)),
                v.any(*y.shape),
                ROWS,
                COLUMNS,
            ],
            TYPES,
            attrs={"overlapping": bool(after)},
            label=str(after),
        )
        for after in (0, 1)
    ),
    *(
        Case(
            "FractionalAvgPoolGrad",
            lambda v: [np.array([2, 5, 3, 2]), v.any(2, 3, 2, 2), ROWS, COLUMNS],
            FLOATING,
            attrs={"overlapping": overlapping},
            static=(0,),
            label=str(overlapping),
        )
        for overlapping in (False, True)
    ),
]
