"""Rows for sequences."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, FLOATS, Bad, Case, Values


def _cast(v: Values, *values: float) -> list[np.ndarray]:
    return [np.asarray(x).astype(v.dtype) for x in values]


def _range(*values: float, static: bool, dtypes: tuple[str, ...]) -> Case:
    return Case(
        "Range",
        lambda v: _cast(v, *values),
        dtypes,
        static=(0, 1, 2) if static else (),
        label=f"{values}{static}",
    )


def _bad_range(text: str, when: str, *values: float) -> Bad:
    return Bad(lambda v: _cast(v, *values), text, when=when)


CASES = [
    *(
        # TensorFlow does not infer the length of a range of 16-bit floats: it refuses to build it.
        _range(
            *values, static=static, dtypes=("int32", "int64", *(FLOAT32_64 if static else FLOATS))
        )
        for values in ((0, 5, 1), (5, 0, -2), (3, 3, 1), (-4, 9, 3))
        for static in (False, True)
    ),
    *(
        _range(*values, static=static, dtypes=FLOAT32_64)
        for values in ((0, 1, 0.1), (0.5, -2.5, -0.75))
        for static in (False, True)
    ),
    Case(
        "Range",
        lambda v: _cast(v, 0, 3, 1),
        ("int32",),
        static=(0, 1, 2),
        label="refused",
        bad=tuple(
            _bad_range(text, when, *values)
            for when in ("build", "run")
            for text, values in (
                ("Requires delta != 0", (0, 3, 0)),
                ("Requires start <= limit when delta > 0: 5/3", (5, 3, 1)),
                ("Requires start >= limit when delta < 0: 1/3", (1, 3, -1)),
            )
        ),
    ),
    *(
        Case(
            "LinSpace",
            lambda v, n=num: [*_cast(v, -1.5, 4), np.int32(n)],
            static=(2,) if num > 1 else (),
            label=str(num),
            bad=(
                Bad(lambda v: [*_cast(v, 0, 1), np.int32(0)], "Requires num > 0: 0"),
                Bad(
                    lambda v: [v.any(1), v.any(), np.int32(2)], "start must be a scalar", when="run"
                ),
            ),
        )
        for num in (1, 2, 7)
    ),
]
