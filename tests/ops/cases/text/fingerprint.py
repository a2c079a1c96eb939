"""Rows for Fingerprint."""

from __future__ import annotations

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case

METHOD = np.array(b"farmhash64", object)

CASES = [
    *(
        Case("Fingerprint", lambda v, s=s: [v.any(*s), METHOD], types, label=f"{s}", static=(1,))
        for s, types in (
            ((3,), ("string", *NUMBERS, "bool")),
            ((2, 3), ("string", "int32")),
            ((2, 3, 5), ("string", "int64")),
            ((0, 2), ("string", "int32")),
        )
    ),
    Case(
        "Fingerprint",
        lambda v: [v.any(3), METHOD],
        ("int32",),
        label="fed",
        bad=(
            Bad(lambda v: [v.any(), METHOD], "Shape must be at least rank 1 but is rank 0"),
            Bad(
                lambda v: [v.any(2), np.array(b"md5", object)],
                "Unsupported fingerprint method: md5",
                when="run",
            ),
            Bad(
                lambda v: [v.any(2), np.array([b"farmhash64"], object)],
                r"`method` should be a scalar string: \[1\]",
                when="run",
            ),
        ),
    ),
]
