"""Rows for numbers made quantized, and for quantized ones brought into other ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow as tf
from tests.ops.case import Bad, Case
from tests.ops.knowledge import PARTIAL, STATIC

TYPES = ("qint8", "quint8", "qint16", "quint16", "qint32")
X = np.array([[-7, -6, -5.98, -1, -0.02, 0], [0.01, 0.03, 1, 5.9, 6, 7]], np.float32)
WIDE = np.array([[[[-(2**30), 5, 2**20, -77777], [2**29, 12345678, -1, 0]]]], np.int32)
FIRST = ("float32",)


def f(value: Any) -> np.ndarray:
    """A float32 array."""
    return np.array(value, np.float32)


def q(dtype: str, integers: Any) -> np.ndarray:
    """An array of quantized elements."""
    kind = np.dtype(getattr(tf, dtype).as_numpy_dtype)
    return np.array(integers, kind[0]).view(kind).reshape(np.shape(integers))


def _each(dtype: str) -> np.ndarray:
    info = np.iinfo(np.dtype(getattr(tf, dtype).as_numpy_dtype)[0])
    return q(dtype, [[info.min, info.min + 1, 0], [1, 100, info.max]])


MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
SPANS = ((-6, 6), (-0.3, 2), (1, 2), (0, 0), (-3, -1))
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "SCALED", "narrow_range": True, "round_mode": "HALF_TO_EVEN"},
    {"ensure_minimum_range": 0.5, "mode": "MIN_FIRST"},
)
QUANTIZE_BAD = (
    Bad(lambda v: [X, f(2), f(1)], "input_max_range must be larger than input_min_range"),
    Bad(lambda v: [X, f([1]), f(2)], "Shape must be rank 0 but is rank 1", when="build"),
    Bad(
        lambda v: [X, f([1, 2]), f([2])],
        "Dimensions must be equal",
        attrs={"T": "quint8", "axis": 1},
        when="build",
    ),
    Bad(
        lambda v: [X, f(1), f(2)],
        "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'",
        attrs={"T": "quint8", "round_mode": "HALF_TO_EVEN"},
    ),
    Bad(
        lambda v: [X, f(1), f(2)],
        "axis should be at least -1, got -2",
        attrs={"T": "quint8", "axis": -2},
        when="build",
    ),
)

CASES = [
    *(
        Case(
            "QuantizeV2",
            lambda v, s=span: [X, f(s[0]), f(s[1])],
            FIRST,
            attrs={"T": dtype, "mode": mode},
            label=f"{dtype}{mode}{span}",
            bad=QUANTIZE_BAD if (dtype, mode, span) == ("quint8", "SCALED", (-6, 6)) else (),
        )
        for dtype in TYPES
        for mode in MODES
        for span in (SPANS if dtype in ("qint8", "quint8") else SPANS[:2])
    ),
    *(
        Case(
            "QuantizeV2",
            lambda v: [X, f(-6), f(3)],
            FIRST,
            attrs={"T": "qint8", **options},
            label=str(options),
        )
        for options in OPTIONS
    ),
    *(
        Case(
            "QuantizeV2",
            lambda v: [X, f([-6, -2]), f([3, 0])],
            FIRST,
            attrs={"T": "qint8", "axis": 0, "mode": mode},
            label=f"axis{mode}",
        )
        for mode in ("MIN_COMBINED", "SCALED")
    ),
    *(
        Case(
            "Dequantize",
            lambda v, d=dtype, s=span: [_each(d), f(s[0]), f(s[1])],
            FIRST,
            attrs={"mode": mode},
            label=f"{dtype}{mode}{span}",
            numeric=False,
        )
        for dtype in TYPES
        for mode in MODES
        for span in SPANS[: 4 if dtype in ("qint8", "quint8") else 2]
        # TensorFlow looks for a kernel that it does not have.
        if (dtype, mode) != ("qint32", "SCALED")
    ),
    Case(
        "Dequantize",
        lambda v: [_each("qint8"), f(-2), f(2)],
        FIRST,
        attrs={"mode": "SCALED", "narrow_range": True},
        label="narrow",
    ),
    Case(
        "Dequantize",
        lambda v: [_each("quint8"), f(-2), f(2)],
        ("bfloat16",),
        attrs={"dtype": "bfloat16"},
        label="bfloat16",
        bad=(
            Bad(
                lambda v: [_each("quint8"), f(-2), f(2)],
                "When output type is bfloat16, Mode string must be",
                attrs={"dtype": "bfloat16", "mode": "MIN_FIRST"},
            ),
        ),
    ),
    *(
        Case(
            "Dequantize",
            lambda v: [_each("qint8"), f([-6, -2, -1]), f([3, 0, 1])],
            FIRST,
            attrs={"axis": 1, "mode": mode},
            label=f"axis{mode}",
            # TensorFlow takes an unknown rank for -1, and refuses the axis.
            shapes=(STATIC, PARTIAL),
        )
        for mode in ("MIN_COMBINED", "SCALED")
    ),
    *(
        Case(
            "QuantizeDownAndShrinkRange",
            lambda v, x=x: [q("qint32", x), f(-300), f(300)],
            FIRST,
            attrs={"out_type": "quint8"},
            label=str(i),
        )
        for i, x in enumerate((WIDE, np.abs(WIDE), WIDE[:0], WIDE * 0))
    ),
    *(
        Case(
            "Requantize",
            lambda v, s=span: [q("qint32", WIDE), f(-300), f(280), f(s[0]), f(s[1])],
            FIRST,
            attrs={"out_type": dtype},
            label=f"{dtype}{span}",
            bad=(
                Bad(
                    lambda v: [q("qint32", WIDE), f(-300), f(300), f(1), f(2)],
                    "requested_output_min must be <= 0, but got 1",
                ),
                Bad(
                    lambda v: [q("qint32", WIDE), f(-300), f(300), f(0), f(-1)],
                    "requested_output_max must be >= requested_output_min, but got -1 and 0",
                ),
                Bad(
                    lambda v: [q("qint32", WIDE), f(-300), f([1, 2]), f(0), f(-1)],
                    "`input_max` must be rank 0 but is rank 1",
                    when="run",
                ),
            ),
        )
        for dtype in ("quint8", "qint8")
        for span in ((-100, 110), (0, 0.1))
    ),
    *(
        Case(
            "RequantizationRange",
            lambda v, x=x: [q("qint32", x), f(-300), f(300)],
            FIRST,
            label=str(x.shape),
        )
        for x in (WIDE, WIDE[:0])
    ),
    *(
        Case(
            "RequantizationRangePerChannel",
            lambda v, x=x: [q("qint32", x), f([-300] * 4), f([300, 100, 700, 20])],
            FIRST,
            attrs={"clip_value_max": clip},
            label=f"{i}{clip}",
            bad=(
                Bad(
                    lambda v: [q("qint32", WIDE), f([-300] * 3), f([300] * 4)],
                    "input_min has incorrect size, expected 4 was 3",
                ),
            ),
        )
        for i, x in enumerate((WIDE, np.abs(WIDE)))
        for clip in (1e9, 6.0)
    ),
    *(
        Case(
            "RequantizePerChannel",
            lambda v: [
                q("qint32", WIDE),
                f([-300] * 4),
                f([300, 100, 700, 20]),
                f(-100),
                f(90),
            ],
            FIRST,
            attrs={"out_type": dtype},
            label=dtype,
        )
        for dtype in ("quint8", "qint8")
    ),
]
