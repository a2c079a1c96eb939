"""Rows for softmax and its logarithm."""

from __future__ import annotations

from tests.ops.case import FLOATS, Bad, Case

_SCALAR = Bad(lambda v: [v.any()], "Shape must be at least rank 1 but is rank 0")

CASES = [
    Case(
        op,
        lambda v, s=shape: [v.any(*s)],
        FLOATS,
        gradients=(0,),
        label=str(shape),
        bad=(_SCALAR,) if shape == (3,) else (),
    )
    for op in ("Softmax", "LogSoftmax")
    for shape in ((3,), (2, 5), (2, 3, 4), (0, 3), (2, 0))
] + [
    # Exponentials of these would overflow if they were not shifted.
    Case(op, lambda v: [v.any(4, 6) * v.dtype.type(60)], FLOATS, label="far")
    for op in ("Softmax", "LogSoftmax")
]
