"""Rows for the convolutions of volumes and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case

_SUMS = {"rtol": 1e-4, "atol": 1e-4}
"""Sums of hundreds of products, which each library adds up in another order."""

Shape = tuple[int, ...]

# Input, filter, strides, padding.
_CONVOLUTIONS: Sequence[tuple[Shape, Shape, Shape, str]] = (
    ((1, 3, 4, 3, 2), (2, 3, 2, 2, 2), (1, 1, 1), "SAME"),
    ((1, 4, 3, 4, 1), (2, 2, 2, 1, 2), (2, 1, 2), "VALID"),
    ((2, 3, 3, 3, 2), (1, 1, 1, 2, 3), (1, 2, 1), "SAME"),
    ((2, 3, 2, 4, 1), (2, 2, 4, 1, 3), (1, 1, 1), "VALID"),
    ((2, 3, 2, 4, 2), (3, 2, 4, 2, 3), (1, 1, 1), "VALID"),
)


def _output(x: Shape, filters: Shape, strides: Shape, padding: str) -> Shape:
    spatial = (
        -(-n // s) if padding == "SAME" else (n - k) // s + 1
        for n, k, s in zip(x[1:-1], filters, strides, strict=False)
    )
    return (x[0], *spatial, filters[-1])


def _attrs(strides: Shape, padding: str, **more: Any) -> dict[str, Any]:
    return {"strides": [1, *strides, 1], "padding": padding, **more}


def _bad(x: Shape, filters: Shape, text: str, when: str = "build", **attrs: Any) -> Bad:
    return Bad(
        lambda v: [v.any(*x), v.any(*filters)],
        text,
        attrs={**_attrs((1, 1, 1), "SAME"), **attrs},
        when=when,
    )


_REFUSED = (
    _bad((3, 3, 3, 2), (2, 2, 2, 2, 2), "Shape must be rank 5 but is rank 4"),
    _bad(
        (1, 3, 3, 3, 3),
        (2, 2, 2, 2, 2),
        r"Depth of input \(3\) is not a multiple of input depth of filter \(2\)",
    ),
    _bad(
        (1, 1, 3, 3, 2),
        (2, 2, 2, 2, 2),
        "Negative dimension size caused by subtracting 2 from 1",
        padding="VALID",
    ),
    _bad(
        (1, 3, 3, 3, 2),
        (2, 2, 2, 2, 2),
        "not yet support strides in the batch and depth dimensions",
        strides=[2, 1, 1, 1, 1],
    ),
    _bad(
        (1, 3, 3, 3, 2),
        (2, 2, 2, 2, 2),
        "not yet support dilations rates in the batch and depth dimensions",
        dilations=[1, 1, 1, 1, 2],
    ),
)

CASES = [
    case
    for i, row in enumerate(_CONVOLUTIONS)
    for x, filters, strides, padding in (row,)
    for case in (
        Case(
            "Conv3D",
            lambda v, x=x, f=filters: [v.any(*x), v.any(*f)],
            FLOAT32_64,
            attrs=_attrs(strides, padding),
            gradients=(0, 1),
            label=f"{i}-{padding}",
            bad=_REFUSED if i == 0 else (),
            **_SUMS,
        ),
        Case(
            "Conv3DBackpropInputV2",
            lambda v, row=row: [np.array(row[0], "int32"), v.any(*row[1]), v.any(*_output(*row))],
            attrs=_attrs(strides, padding),
            static=(0,),
            gradients=(1, 2),
            label=f"{i}-{padding}",
            **_SUMS,
        ),
        Case(
            "Conv3DBackpropFilterV2",
            lambda v, row=row: [v.any(*row[0]), np.array(row[1], "int32"), v.any(*_output(*row))],
            attrs=_attrs(strides, padding),
            static=(1,),
            gradients=(0, 2),
            label=f"{i}-{padding}",
            **_SUMS,
        ),
    )
] + [
    Case(
        "Conv3DBackpropInputV2",
        lambda v: [np.array([1, 3, 3, 3, 2]), v.any(2, 2, 2, 2, 2), v.any(1, 3, 3, 3, 2)],
        ("float32",),
        attrs=_attrs((1, 1, 1), "SAME"),
        static=(0,),
        label="int64 sizes",
        bad=(
            Bad(
                lambda v: [np.array([1, 3, 3]), v.any(2, 2, 2, 2, 2), v.any(1, 3, 3, 3, 2)],
                "Shape must be rank 5 but is rank 3",
                when="build",
            ),
        ),
        **_SUMS,
    ),
    Case(
        "Conv3D",
        lambda v: [v.any(1, 2, 3, 4, 3), v.any(2, 2, 2, 2, 3)],
        ("float32",),
        attrs=_attrs((1, 1, 1), "SAME", data_format="NCDHW"),
        label="NCDHW",
        gradients=(0, 1),
        **_SUMS,
    ),
    Case(
        "Conv3D",
        lambda v: [v.between(-1, 1, 1, 3, 3, 3, 2), v.between(-1, 1, 2, 2, 2, 2, 3)],
        ("float16", "bfloat16"),
        attrs=_attrs((1, 1, 1), "SAME"),
        label="narrow",
        rtol=3e-2,
        atol=0.1,
    ),
]
