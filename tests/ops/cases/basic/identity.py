"""Rows for ops that pass values on."""

from __future__ import annotations

from tests.ops.case import NUMBERS, Case, unary

EVERY = (*NUMBERS, "bool", "string")

CASES = [
    *unary("Identity", EVERY, gradients=(0,)),
    *unary("Snapshot", (*NUMBERS, "bool")),
    *unary("StopGradient", EVERY, gradients=(0,), numeric=False),
    *unary("PreventGradient", EVERY),
    Case("IdentityN", lambda v: [[v.any(2, 3), v.any()]], ("float32", "string"), gradients=()),
]
