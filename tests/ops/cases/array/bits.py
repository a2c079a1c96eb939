"""Rows for Bitcast."""

from __future__ import annotations

from tests.ops.case import Bad, Case
from tests.ops.cases.quantization.steps import q

CASES = [
    *(
        Case(
            "Bitcast",
            lambda v: [v.any(2, 4)],
            ("int8",),
            attrs={"type": target},
            label=target,
        )
        for target in ("qint8", "quint8", "qint32")
    ),
    *(
        Case(
            "Bitcast",
            lambda v, t=source: [q(t, [[1, 100], [7, 127]])],
            ("float32",),
            attrs={"type": "int8"},
            label=f"of {source}",
        )
        for source in ("qint8", "qint16", "qint32")
    ),
    Case(
        "Bitcast",
        lambda v: [v.any(2, 3)],
        ("float32",),
        attrs={"type": "int32"},
        bad=(
            Bad(
                lambda v: [v.any(3)],
                "Cannot bitcast from 1 to 2 due to shape. 3 does not match 2",
                {"type": "float64"},
            ),
            Bad(
                lambda v: [v.any(3)], "Cannot bitcast from 1 to 2", {"type": "float64"}, when="run"
            ),
            Bad(
                lambda v: [v.any()], "must be at least rank 1 but is rank 0", {"type": "complex64"}
            ),
        ),
    ),
    Case(
        "Bitcast",
        lambda v: [v.any(2, 3)],
        ("float64", "int64", "complex64"),
        attrs={"type": "uint8"},
        label="to bytes",
    ),
    Case(
        "Bitcast",
        lambda v: [v.any(2, 8)],
        ("uint8",),
        attrs={"type": "float64"},
        label="from bytes",
    ),
    Case(
        "Bitcast",
        lambda v: [v.any(3, 2)],
        ("int16", "bfloat16", "float16"),
        attrs={"type": "int32"},
        label="halves",
    ),
    Case("Bitcast", lambda v: [v.any()], ("float32",), attrs={"type": "uint32"}, label="scalar"),
    Case(
        "Bitcast",
        lambda v: [v.any()],
        ("float32",),
        attrs={"type": "int16"},
        label="scalar to halves",
    ),
    Case(
        "Bitcast",
        lambda v: [v.any(2)],
        ("float32",),
        attrs={"type": "complex64"},
        label="to scalar",
    ),
    Case(
        "Bitcast", lambda v: [v.any(0, 2)], ("float32",), attrs={"type": "float64"}, label="empty"
    ),
]
