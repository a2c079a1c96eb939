"""Rows for the depthwise convolutions and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOATS, Bad, Case

_SUMS = {"rtol": 1e-4, "atol": 1e-4}
"""Sums of products, which each library adds up in another order."""

Shape = tuple[int, ...]

# Input, filter, stride, padding, explicit paddings.
_CONVOLUTIONS: Sequence[tuple[Shape, Shape, int, str, list[int]]] = (
    ((2, 5, 6, 3), (3, 3, 3, 1), 1, "SAME", []),
    ((2, 5, 6, 2), (3, 2, 2, 3), 1, "VALID", []),
    ((1, 7, 7, 2), (3, 3, 2, 2), 2, "SAME", []),
    ((1, 5, 5, 2), (2, 3, 2, 1), 1, "EXPLICIT", [0, 0, 1, 0, 1, 2, 0, 0]),
    ((2, 4, 4, 2), (1, 1, 2, 2), 1, "SAME", []),
)


def _output(x: Shape, filters: Shape, stride: int, padding: str, pads: list[int]) -> Shape:
    padded = pads or [0] * 8
    spatial = [
        -(-x[a] // stride)
        if padding == "SAME"
        else (x[a] + padded[2 * a] + padded[2 * a + 1] - filters[a - 1]) // stride + 1
        for a in (1, 2)
    ]
    return (x[0], *spatial, filters[2] * filters[3])


def _attrs(stride: int, padding: str, pads: list[int]) -> dict[str, Any]:
    return {
        "strides": [1, stride, stride, 1],
        "padding": padding,
        "explicit_paddings": pads,
    }


def _bad(x: Shape, filters: Shape, text: str, when: str = "build", **attrs: Any) -> Bad:
    known = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return Bad(lambda v: [v.any(*x), v.any(*filters)], text, attrs={**known, **attrs}, when=when)


_REFUSED = (
    _bad((1, 4, 4, 3), (3, 3, 2, 1), "Dimensions must be equal, but are 3 and 2"),
    _bad((4, 4, 3), (3, 3, 3, 1), "Shape must be rank 4 but is rank 3"),
    _bad(
        (1, 4, 4, 2),
        (3, 3, 2, 1),
        "DepthwiseConv2D requires the stride attribute to contain 4 values, but got: 3",
        strides=[1, 1, 1],
    ),
    _bad(
        (1, 4, 4, 2),
        (3, 3, 2, 1),
        "DepthwiseConv2D requires the dilations attribute to contain 4 values, but got: 3",
        dilations=[1, 2, 2],
    ),
)

CASES = [
    case
    for i, (x, filters, stride, padding, pads) in enumerate(_CONVOLUTIONS)
    for case in (
        Case(
            "DepthwiseConv2dNative",
            lambda v, x=x, f=filters: [v.any(*x), v.any(*f)],
            attrs=_attrs(stride, padding, pads),
            gradients=(0, 1),
            label=f"{i}-{padding}",
            bad=_REFUSED if i == 0 else (),
            **_SUMS,
        ),
        Case(
            "DepthwiseConv2dNativeBackpropInput",
            lambda v, a=(x, filters, stride, padding, pads): [
                np.array(a[0], "int32"),
                v.any(*a[1]),
                v.any(*_output(*a)),
            ],
            attrs=_attrs(stride, padding, pads),
            static=(0,),
            gradients=(1, 2),
            label=f"{i}-{padding}",
            **_SUMS,
        ),
        Case(
            "DepthwiseConv2dNativeBackpropFilter",
            lambda v, a=(x, filters, stride, padding, pads): [
                v.any(*a[0]),
                np.array(a[1], "int32"),
                v.any(*_output(*a)),
            ],
            attrs=_attrs(stride, padding, pads),
            static=(1,),
            gradients=(0, 2),
            label=f"{i}-{padding}",
            **_SUMS,
        ),
    )
] + [
    Case(
        "DepthwiseConv2dNative",
        lambda v: [v.between(-1, 1, 2, 5, 6, 3), v.between(-1, 1, 3, 3, 3, 1)],
        FLOATS,
        attrs=_attrs(1, "SAME", []),
        label="types",
        rtol=3e-2,
        atol=3e-2,
    ),
    Case(
        "DepthwiseConv2dNative",
        lambda v: [v.any(2, 3, 5, 6), v.any(3, 3, 3, 2)],
        ("float32",),
        attrs={**_attrs(1, "SAME", []), "data_format": "NCHW"},
        label="NCHW",
        gradients=(0, 1),
        **_SUMS,
    ),
]
