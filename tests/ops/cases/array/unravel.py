"""Rows for places as coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values


def _of(places: Any, dims: Any) -> Callable[[Values], list[np.ndarray]]:
    return lambda v: [np.array(places, v.dtype), np.array(dims, v.dtype)]


CASES = [
    Case(
        "UnravelIndex",
        _of(places, dims),
        ("int32", "int64"),
        label=f"{places}{dims}",
        bad=(
            Bad(_of([6], [2, 3]), "index is out of bound as with dims"),
            Bad(_of([[1]], [2, 3]), "can only be scalar or vector, got", when="run"),
            Bad(_of([0], [2, 0]), "contains zero at index 1"),
            Bad(_of([0], 2), "The indices can only be 1-D, got", when="run"),
            Bad(_of([], [2, 3]), "received empty tensor indices"),
            Bad(_of([0], [-2, -3]), "Got dim = -2 at index 0"),
            Bad(_of([0], [2**30, 2**30]), "dims product is causing integer overflow"),
        )
        if dims == [2, 3]
        else (),
    )
    for places, dims in (([3, 4], [2, 3]), (3, [4]), ([0, 23, 7, 12], [2, 3, 4]), ([-1], [3]))
]
