"""Rows for casts."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOATS, NUMBERS, Bad, Case, Values
from tests.ops.cases.quantization.steps import TYPES, q

EVERY = (*NUMBERS, "bool")


def _extremes(v: Values) -> list[np.ndarray]:
    if v.dtype.kind in "iu":
        info = np.iinfo(v.dtype)
        return [np.asarray([info.min, info.max, 0, 1, 77], v.dtype)]
    return [np.asarray([0, -0.0, 1.5, -1.5, 2.5, 100.7, 1e4], np.float64).astype(v.dtype)]


def _fine(v: Values) -> list[np.ndarray]:
    return [np.asarray([1.00390625, 1.01171875, 1.99999, -3.14159265, 1e-3], v.dtype)]


def _gradient(target: str) -> tuple[int, ...]:
    return (0,) if target in (*FLOATS, *COMPLEX) else ()


def _steps(dtype: str) -> np.ndarray:
    return q(dtype, [[0, 1, 100], [7, 120, 127]])


CASES = [
    *(
        Case(
            "Cast",
            lambda v, t=source: [_steps(t)],
            ("float32",),
            attrs={"DstT": target},
            label=f"{source} to {target}",
        )
        for source in TYPES
        for target in ("float32", "int8", "complex64", "quint8")
    ),
    *(
        Case(
            "Cast",
            lambda v: [v.any(2, 3)],
            ("int32", "uint8"),
            attrs={"DstT": target},
            label=target,
        )
        for target in TYPES
    ),
    *(
        Case(
            "Cast",
            lambda v: [v.any(2, 3)],
            EVERY,
            attrs={"DstT": target},
            # Casts between types of different precision have no derivative to compare.
            numeric=False,
            gradients=_gradient(target),
            label=target,
        )
        for target in EVERY
    ),
    *(
        Case("Cast", _extremes, NUMBERS, attrs={"DstT": target}, label=f"extremes {target}")
        for target in EVERY
        # What C makes of a float that an unsigned type cannot hold depends on the compiler.
        if target not in ("uint32", "uint64")
    ),
    *(
        Case("Cast", lambda v, s=s: [v.any(*s)], EVERY, attrs={"DstT": "float32"}, label=str(s))
        for s in ((), (0, 3))
    ),
    *(
        Case(
            "Cast",
            _fine,
            ("float32", "float64"),
            attrs={"DstT": target, "Truncate": True},
            rtol=0,
            atol=0,
            label=f"truncated to {target}",
        )
        for target in ("bfloat16", "float16", "float32")
    ),
    Case(
        "Cast",
        lambda v: [v.any(2)],
        ("float32",),
        attrs={"DstT": "int32"},
        label="string",
        bad=(
            Bad(
                lambda v: [v.any(2)],
                "Cast string to float is not supported",
                attrs={"DstT": "float32"},
                dtype="string",
            ),
        ),
    ),
]
