"""Rows for signs, rounding, and tests for NaN and infinity."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, FLOATS, SIGNED, Case, Values, unary


def _halves(v: Values) -> list[np.ndarray]:
    return [np.asarray([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.0]).astype(v.dtype)]


def _special(v: Values) -> list[np.ndarray]:
    return [np.asarray([np.nan, np.inf, -np.inf, 0.0, 1.0]).astype(v.dtype)]


CASES = [
    *unary("Sign", (*FLOATS, *SIGNED, *COMPLEX), gradients=(0,)),
    Case("Sign", lambda v: [np.zeros(2, v.dtype)], (*FLOATS, *SIGNED, *COMPLEX), label="zero"),
    *(row for op in ("Floor", "Ceil") for row in unary(op, FLOATS, gradients=(0,), numeric=False)),
    # TensorFlow 2.21 rounds every int32 to 0, so that there is nothing to compare integers with.
    *unary("Round", FLOATS, gradients=(0,), numeric=False),
    *unary("Rint", FLOAT32_64, gradients=(0,), numeric=False),
    Case("Round", _halves, FLOATS, label="halves"),
    Case("Rint", _halves, FLOAT32_64, label="halves"),
    *(row for op in ("IsNan", "IsInf", "IsFinite") for row in unary(op, FLOATS)),
    *(Case(op, _special, FLOATS, label="special") for op in ("IsNan", "IsInf", "IsFinite")),
]
