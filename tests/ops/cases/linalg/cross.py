"""Rows for Cross."""

from __future__ import annotations

from tests.ops.case import REAL, Bad, Case

CASES = [
    *(
        Case(
            "Cross",
            lambda v, s=s: [v.any(*s), v.any(*s)],
            REAL,
            gradients=(0, 1),
            label=str(s),
            bad=(
                Bad(
                    lambda v: [v.any(2, 4), v.any(2, 4)],
                    "Dimension must be 3 but is 4",
                    when="build",
                ),
                Bad(
                    lambda v: [v.any(2, 4), v.any(2, 4)],
                    "only defined for 3-element vectors",
                    when="run",
                ),
                Bad(lambda v: [v.any(2, 3), v.any(3)], "Shapes must be equal rank", when="build"),
                Bad(
                    lambda v: [v.any(2, 3), v.any(3)],
                    "Both inputs must be of same shape",
                    when="run",
                ),
            ),
        )
        for s in ((3,), (2, 4, 3), (0, 3))
    ),
]
