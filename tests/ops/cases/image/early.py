"""Rows for ops of images that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, fails, run

INVALID = "InvalidArgumentError"


def _contrast(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf)

    def made(images: Any, least: Any = -2.0, factor: Any = 1.5) -> Any:
        return raw.AdjustContrast(
            images=v.fed(images), contrast_factor=factor, min_value=least, max_value=3.0
        )

    yield run(made(v.any(2, 3, 4, 3)), made(v.any(3, 4, 1)), made(v.any(0, 3, 4, 2)))
    yield fails(INVALID, "input must be at least 3-D", made(v.any(3, 4)))
    yield fails(INVALID, "min_value must be scalar", made(v.any(3, 4, 1), np.float32([1, 2])))
    yield fails(
        INVALID, "contrast_factor must be scalar", made(v.any(3, 4, 1), factor=np.float32([1]))
    )


PROGRAMS = [
    Program(
        "AdjustContrast",
        _contrast,
        ("float32", "float64", "uint8", "int8", "int16", "int32"),
        rtol=1e-4,
        atol=1e-4,
    )
]
