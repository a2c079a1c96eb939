"""Rows for ops of arrays that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, fails, run

INVALID = "InvalidArgumentError"


def _tiles(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf)

    def made(value: Any, *multiples: int) -> Any:
        return raw.TileGrad(input=v.fed(value), multiples=v.fed(np.array(multiples, np.int32)))

    yield run(made(v.any(4, 6), 2, 3), made(v.any(6), 6), made(v.any(2, 2, 4), 1, 2, 1))
    yield fails(INVALID, "Expected multiples", made(v.any(4, 6), 2))
    yield fails(INVALID, "multiples.0. > 0, but got 0", made(v.any(4, 6), 0, 1))
    yield fails(INVALID, "", made(v.any(4, 6), 3, 1))


PROGRAMS = [Program("TileGrad", _tiles, ("float32", "float64", "int32", "complex64"))]
