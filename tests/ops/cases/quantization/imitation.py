"""Rows for numbers rounded to what few bits can tell, in a range of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values

OPTIONS: tuple[dict[str, Any], ...] = (
    {"range_given": False},
    {"range_given": True},
    {"range_given": True, "num_bits": 4, "signed_input": False, "round_mode": "HALF_UP"},
    {"range_given": True, "num_bits": 3, "narrow_range": True},
)


def _x(v: Values) -> np.ndarray:
    return np.array([[-7, -1.3, 0.2], [0.7, 2.6, 3.5]], v.dtype)


def _bounds(v: Values, low: Any = -2, high: Any = 3) -> list[np.ndarray]:
    return [np.array(low, v.dtype), np.array(high, v.dtype)]


BAD = (
    Bad(
        lambda v: [_x(v), *_bounds(v, 2, 1)],
        "Invalid range: input_min",
        attrs={"range_given": True},
    ),
    Bad(lambda v: [_x(v), *_bounds(v)], "num_bits is out of range", attrs={"num_bits": 0}),
    Bad(lambda v: [_x(v), *_bounds(v)], "num_bits is out of range", attrs={"num_bits": 64}),
    Bad(
        lambda v: [_x(v), *_bounds(v)],
        "Shape must be rank 1 but is rank 0",
        attrs={"axis": 1},
        when="build",
    ),
)

CASES = [
    *(
        Case(
            op,
            lambda v: [_x(v), *_bounds(v)],
            FLOAT32_64,
            attrs=options,
            gradients=(0,) if op.endswith("V2") else (0, 1, 2),
            numeric=False,
            label=str(options),
            bad=() if options["range_given"] else BAD,
        )
        for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
        for options in OPTIONS
    ),
    *(
        Case(
            op,
            lambda v: [_x(v), *_bounds(v, [-2, -1, -7], [3, 2, 0])],
            FLOAT32_64,
            attrs={"axis": 1},
            gradients=(0,),
            numeric=False,
            label="axis",
        )
        for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
    ),
    *(
        Case(
            "QuantizeAndDequantizeV3",
            lambda v: [_x(v), *_bounds(v), np.array(5, np.int32)],
            FLOAT32_64,
            attrs={"range_given": given, "narrow_range": given},
            gradients=(0,),
            numeric=False,
            label=str(given),
            bad=(
                Bad(
                    lambda v: [_x(v), *_bounds(v), np.array(64, np.int32)],
                    "num_bits is out of range: 64",
                ),
                Bad(
                    lambda v: [_x(v), *_bounds(v), np.array([1, 2], np.int32)],
                    "Shape must be rank 0 but is rank 1",
                    when="build",
                ),
            ),
        )
        for given in (True, False)
    ),
    Case(
        "QuantizeAndDequantizeV4Grad",
        lambda v: [_x(v) * 3, _x(v), *_bounds(v)],
        FLOAT32_64,
        bad=(
            Bad(
                lambda v: [_x(v), _x(v)[:1], *_bounds(v)],
                "Dimension 0 in both shapes must be equal, but are 2 and 1",
                when="build",
            ),
        ),
    ),
    Case(
        "QuantizeAndDequantizeV4Grad",
        lambda v: [_x(v) * 3, _x(v), *_bounds(v, [-2, -1, -7], [3, 2, 0])],
        FLOAT32_64,
        attrs={"axis": 1},
        label="axis",
    ),
]
