"""Rows for ExtractVolumePatches."""

from __future__ import annotations

from typing import Any

from tests.ops.case import REAL, Bad, Case
from tests.ops.knowledge import STATIC


def _attrs(size: tuple[int, int, int], stride: int, padding: str) -> dict[str, Any]:
    return {
        "ksizes": [1, *size, 1],
        "strides": [1, stride, stride, 1, 1],
        "padding": padding,
    }


_PLAIN = _attrs((2, 2, 1), 1, "VALID")

CASES = [
    *(
        Case(
            "ExtractVolumePatches",
            lambda v: [v.any(2, 3, 4, 2, 2)],
            REAL if (padding, stride) == ("VALID", 1) else ("float64", "float32"),
            attrs=_attrs((3, 2, 2), stride, padding),
            gradients=(0,),
            label=f"{padding}{stride}",
            # Where sizes are not known TensorFlow takes the result for one of four dimensions.
            shapes=(STATIC,),
            bad=(
                Bad(lambda v: [v.any(2, 3)], "must be rank 5 but is rank 2"),
                Bad(lambda v: [v.any(2)], r"input must be 5-dimensional\[2\]", when="run"),
                Bad(
                    lambda v: [v.any(1, 2, 2, 2, 1)],
                    "Only support ksizes across space",
                    {**_PLAIN, "ksizes": [1, 2, 2, 2, 2]},
                ),
                Bad(
                    lambda v: [v.any(1, 2, 2, 2, 1)],
                    "strides is out of range",
                    {**_PLAIN, "strides": [1, 1, 1, 0, 1]},
                    when="run",
                ),
            ),
        )
        for padding in ("VALID", "SAME")
        for stride in (1, 2)
    ),
    Case(
        "ExtractVolumePatches",
        lambda v: [v.any(1, 1, 3, 2, 1)],
        attrs=_PLAIN,
        label="small",
        shapes=(STATIC,),
    ),
]
