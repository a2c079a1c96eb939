"""Rows for ExtractImagePatches."""

from __future__ import annotations

from typing import Any

from tests.ops.case import NUMBERS, Bad, Case


def _attrs(size: tuple[int, int], stride: int, rate: int, padding: str) -> dict[str, Any]:
    return {
        "ksizes": [1, *size, 1],
        "strides": [1, stride, stride, 1],
        "rates": [1, rate, rate, 1],
        "padding": padding,
    }


_PLAIN = _attrs((2, 2), 1, 1, "VALID")

CASES = [
    *(
        Case(
            "ExtractImagePatches",
            lambda v: [v.any(2, 5, 6, 2)],
            NUMBERS if padding == "VALID" and stride == rate == 1 else ("float32", "float64"),
            attrs=_attrs((3, 2), stride, rate, padding),
            gradients=(0,),
            label=f"{padding} stride {stride} rate {rate}",
        )
        for padding in ("VALID", "SAME")
        for stride in (1, 2)
        for rate in (1, 2)
    ),
    Case("ExtractImagePatches", lambda v: [v.any(0, 3, 3, 1)], attrs=_PLAIN, label="empty"),
    Case(
        "ExtractImagePatches",
        lambda v: [v.any(1, 3, 3, 1)],
        attrs=_PLAIN,
        label="small",
        bad=(
            Bad(lambda v: [v.any(1, 3, 3)], "must be rank 4 but is rank 3"),
            Bad(lambda v: [v.any(1, 3, 3)], r"input must be 4-dimensional\[1,3,3\]", when="run"),
            *(
                Bad(
                    lambda v: [v.any(1, 3, 3, 1)],
                    r"Computed output size would be negative: -1 \[input_size: 3, "
                    r"effective_filter_size: 5, stride: 1\]",
                    {**_PLAIN, "ksizes": [1, 5, 2, 1], "padding": "VALID"},
                    when=when,
                )
                for when in ("build", "run")
            ),
            Bad(
                lambda v: [v.any(1, 3, 3, 1)],
                "Only support ksizes across space",
                {**_PLAIN, "ksizes": [2, 2, 2, 1]},
            ),
            Bad(
                lambda v: [v.any(1, 3, 3, 1)],
                "ksizes is out of range",
                {**_PLAIN, "ksizes": [1, 0, 2, 1]},
            ),
            Bad(
                lambda v: [v.any(1, 3, 3, 1)],
                "Only support strides across space",
                {**_PLAIN, "strides": [2, 2, 2, 1]},
            ),
        ),
    ),
]
