"""Rows for points and the centers of their clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

_WHOLE = np.random.default_rng(3).integers(-40, 40, (90, 4)).astype("float32")
"""Whole numbers: sums of their squares are exact in any order."""


def _int64(value: Any) -> np.ndarray:
    return np.array(value, "int64")


def _drawn(count: Any, seed: Any = 5, retries: Any = 2, points: Any = _WHOLE) -> Any:
    return lambda v: [points, *map(_int64, (count, seed, retries))]


def _near(points: Any, centers: Any, k: Any) -> Any:
    return lambda v: [np.float32(points), np.float32(centers), _int64(k)]


def _chain(size: int, seed: int) -> Any:
    return lambda v: [np.square(v.any(size)), _int64(seed)]


def _rising(v: Values) -> list[np.ndarray]:
    return [np.arange(700, dtype="float32"), _int64(2)]


_SINGLE = ("float32",)
_REPEATED = np.repeat(_WHOLE[:9], 3, 0)

CASES = [
    *(
        Case("KmeansPlusPlusInitialization", _drawn(*given), _SINGLE, label=str(given[:3]))
        for given in (
            (1, 0, 0),
            (7,),
            (20, -3, 0),
            (30, 2**40, -1),
            # No seed takes a point twice while others are further away.
            (9, 1, 3, _REPEATED),
        )
    ),
    Case(
        "KmeansPlusPlusInitialization",
        _drawn(90, 11, 1),
        _SINGLE,
        label="all",
        bad=(
            Bad(_drawn(3, points=_WHOLE[0]), "Input points should be a matrix", when="run"),
            Bad(_drawn([3]), "Input num_to_sample should be a scalar", when="run"),
            Bad(_drawn(3, [3]), "Input seed should be a scalar", when="run"),
            Bad(_drawn(3, 3, [3]), "Input num_retries_per_sample should be a scalar", when="run"),
            Bad(_drawn(3, points=_WHOLE[:0]), r"Expected points.rows\(\) > 0", when="run"),
            Bad(_drawn(0), "Expected num_to_sample > 0", when="run"),
            Bad(_drawn(91), r"Expected num_to_sample <= points.rows\(\). 91", when="run"),
        ),
    ),
    *(
        Case("KMC2ChainInitialization", _chain(size, seed), _SINGLE, label=str(size))
        for size, seed in ((1, 3), (50, 4), (1000, 7))
    ),
    Case(
        "KMC2ChainInitialization",
        _rising,
        _SINGLE,
        label="rising",
        bad=(
            Bad(
                lambda v: [v.any(2, 2), _int64(1)], "Input distances should be a vector", when="run"
            ),
            Bad(lambda v: [v.any(3), _int64([1])], "Input seed should be a scalar", when="run"),
            Bad(lambda v: [v.any(0), _int64(1)], "Expected distances_tensor.size", when="run"),
        ),
    ),
    *(
        Case("NearestNeighbors", _near(_WHOLE, _WHOLE[5:40:3], k), _SINGLE, label=str(k))
        for k in (0, 1, 4, 100)
    ),
    Case(
        "NearestNeighbors", _near(_WHOLE, np.repeat(_WHOLE[:700], 2, 0), 3), _SINGLE, label="ties"
    ),
    Case(
        "NearestNeighbors",
        _near(_WHOLE, np.zeros((0, 4)), 2),
        _SINGLE,
        label="no centers",
        bad=(
            Bad(_near(_WHOLE[0], _WHOLE, 1), "Input points should be a matrix", when="run"),
            Bad(_near(_WHOLE, _WHOLE[0], 1), "Input centers should be a matrix", when="run"),
            Bad(_near(_WHOLE, _WHOLE, [1]), "Input k should be a scalar", when="run"),
            Bad(_near(_WHOLE[:0], _WHOLE, 1), r"Expected points.rows\(\) > 0", when="run"),
            Bad(
                _near(_WHOLE, _WHOLE[:, :2], 1),
                "Expected point_dimensions == center_dimensions: 4 vs 2",
                when="run",
            ),
        ),
    ),
]
