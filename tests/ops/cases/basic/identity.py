"""Rows for ops that pass values on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import FLOAT32_64, NUMBERS, Case, unary
from tests.ops.program import Inputs, Program, Step, slopes_refused

EVERY = (*NUMBERS, "bool", "string")


def _prevented(tf: Any, v: Inputs) -> Iterator[Step]:
    x = v.fed(v.any(2))
    y = tf.raw_ops.PreventGradient(input=x, message="not this way")
    yield slopes_refused(tf, "LookupError", "not this way|explicitly disabled", [y], [x])


CASES = [
    *unary("Identity", EVERY, gradients=(0,)),
    *unary("Snapshot", (*NUMBERS, "bool")),
    *unary("StopGradient", EVERY, gradients=(0,), numeric=False),
    *unary("PreventGradient", EVERY),
    Case("IdentityN", lambda v: [[v.any(2, 3), v.any()]], EVERY, gradients=(0, 1)),
]
PROGRAMS = [Program("PreventGradient", _prevented, FLOAT32_64, gradients=True, numeric=False)]
