"""Rows for the scripts of characters."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Case

_EDGES = [-(2**31), -1, 0, 64, 65, 0x10FFFF, 0x110000, 2**31 - 1]

CASES = [
    Case(
        "UnicodeScript",
        lambda v: [np.array([*_EDGES, *range(0, 0x110000, 13)], np.int32)],
        ("int32",),
        label="sample",
    ),
    Case("UnicodeScript", lambda v: [np.array([[0x3B1], [0x416]], np.int32)], ("int32",)),
    Case("UnicodeScript", lambda v: [np.int32(0x5D0)], ("int32",), label="scalar"),
]
