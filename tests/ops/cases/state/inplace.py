"""Rows for tensors with some of their rows changed."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Bad, Case

ROWS = np.array([1, -1, 5], np.int32)

CASES = [
    Case(
        op,
        lambda v: [v.any(4, 2), ROWS, v.any(3, 2)],
        ("float32", "int64", "complex64"),
        bad=(
            Bad(
                lambda v: [v.any(4, 2), ROWS[:2], v.any(3, 2)],
                r"i and x shape doesn't match at index 0: \[2\] vs. \[3,2\]",
                when="run",
            ),
            Bad(
                lambda v: [v.any(4, 2), ROWS[None], v.any(3, 2)],
                r"i must be a vector. \[1,3\]",
                when="run",
            ),
            Bad(
                lambda v: [v.any(4, 3), ROWS, v.any(3, 2)],
                r"x and v shape doesn't match at index 1 : \[4,3\] vs. \[3,2\]",
                when="run",
            ),
        ),
    )
    for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub")
]
