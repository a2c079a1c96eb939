"""Rows for the convolutions and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values

_SUMS = {"rtol": 1e-4, "atol": 1e-4}
"""Sums of hundreds of products, which each library adds up in another order."""
_HALF = {"rtol": 4e-2, "atol": 0.25}
"""TensorFlow adds up 16-bit floats in 16 or in 32 bits, depending on the processor."""
_EXPLICIT = [0, 0, 1, 2, 0, 1, 0, 0]

Args = Callable[[Values], Sequence[Any]]


def _pair(x: tuple[int, ...], filters: tuple[int, ...]) -> Args:
    return lambda v: [v.any(*x), v.any(*filters)]


def _bad(
    x: tuple[int, ...], filters: tuple[int, ...], text: str, when: str = "build", **attrs: Any
) -> Bad:
    known = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return Bad(_pair(x, filters), text, attrs={**known, **attrs}, when=when)


# Input, filter, strides, padding, further attrs.
_CONVOLUTIONS: Sequence[tuple[Any, ...]] = (
    ((2, 5, 6, 3), (3, 3, 3, 4), (1, 1), "SAME", {}),
    ((2, 5, 6, 3), (3, 2, 3, 4), (1, 1), "VALID", {}),
    ((1, 7, 7, 2), (3, 3, 2, 2), (2, 2), "SAME", {}),
    ((1, 7, 8, 2), (2, 3, 2, 2), (3, 2), "VALID", {}),
    ((2, 4, 4, 1), (2, 2, 1, 3), (1, 1), "SAME", {}),
    ((2, 4, 4, 3), (1, 1, 3, 2), (1, 1), "SAME", {}),
    ((2, 5, 5, 3), (1, 1, 3, 2), (2, 2), "SAME", {}),
    ((1, 3, 3, 20), (3, 3, 20, 5), (1, 1), "SAME", {}),
    ((1, 5, 4, 2), (3, 3, 2, 2), (1, 1), "EXPLICIT", {"explicit_paddings": _EXPLICIT}),
    ((1, 9, 8, 2), (3, 3, 2, 2), (1, 1), "SAME", {"dilations": [1, 2, 3, 1]}),
    ((1, 9, 9, 2), (3, 2, 2, 2), (2, 1), "VALID", {"dilations": [1, 2, 3, 1]}),
    ((1, 4, 4, 4), (3, 3, 2, 6), (1, 1), "SAME", {}),
    ((1, 4, 4, 6), (1, 1, 2, 3), (1, 1), "SAME", {}),
    ((1, 2, 2, 2), (5, 5, 2, 2), (1, 1), "SAME", {}),
    ((0, 4, 4, 2), (3, 3, 2, 2), (1, 1), "SAME", {}),
    # As wide, or as large, as the image; the last one pads it.
    ((2, 5, 6, 1), (3, 6, 1, 4), (1, 1), "VALID", {}),
    ((3, 5, 6, 2), (2, 6, 2, 3), (2, 3), "VALID", {}),
    ((3, 4, 5, 3), (4, 5, 3, 2), (1, 1), "VALID", {}),
    ((2, 5, 3, 4), (2, 3, 2, 4), (1, 1), "VALID", {}),
    ((3, 1, 1, 4), (1, 1, 2, 6), (1, 1), "VALID", {}),
    ((2, 5, 3, 2), (5, 2, 2, 3), (1, 1), "VALID", {}),
    ((2, 4, 3, 2), (2, 3, 2, 3), (1, 1), "SAME", {}),
)


def _label(index: int, padding: str) -> str:
    return f"{index}-{padding}"


def _attrs(strides: tuple[int, int], padding: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"strides": [1, *strides, 1], "padding": padding, **more}


def _types(x: tuple[int, ...], filters: tuple[int, ...], more: dict[str, Any]) -> tuple[str, ...]:
    """Types that TensorFlow has all gradients for: groups and rates have them in float32."""
    return ("float32",) if "dilations" in more or x[-1] != filters[-2] else FLOAT32_64


def _output(
    x: tuple[int, ...], filters: tuple[int, ...], strides: tuple[int, int], padding: str, more: Any
) -> tuple[int, ...]:
    """Shape of what the convolution gives."""
    spatial = []
    pads = more.get("explicit_paddings", [0] * 8)
    rates = more.get("dilations", [1] * 4)
    for axis in (1, 2):
        extent = (filters[axis - 1] - 1) * rates[axis] + 1
        size = x[axis] + pads[2 * axis] + pads[2 * axis + 1]
        stride = strides[axis - 1]
        spatial.append(-(-size // stride) if padding == "SAME" else (size - extent) // stride + 1)
    return (x[0], *spatial, filters[-1])


_FORWARD = [
    Case(
        "Conv2D",
        _pair(x, filters),
        (*_types(x, filters, more), "int32"),
        attrs=_attrs(strides, padding, more),
        gradients=(0, 1),
        label=_label(i, padding),
        **_SUMS,
    )
    for i, (x, filters, strides, padding, more) in enumerate(_CONVOLUTIONS)
]

_BACKWARD = [
    case
    for i, (x, filters, strides, padding, more) in enumerate(_CONVOLUTIONS)
    for case in (
        Case(
            "Conv2DBackpropInput",
            lambda v, x=x, f=filters, s=strides, p=padding, m=more: [
                np.array(x, "int32"),
                v.any(*f),
                v.any(*_output(x, f, s, p, m)),
            ],
            _types(x, filters, more),
            attrs=_attrs(strides, padding, more),
            static=(0,),
            gradients=(1, 2),
            label=_label(i, padding),
            **_SUMS,
        ),
        Case(
            "Conv2DBackpropFilter",
            lambda v, x=x, f=filters, s=strides, p=padding, m=more: [
                v.any(*x),
                np.array(f, "int32"),
                v.any(*_output(x, f, s, p, m)),
            ],
            _types(x, filters, more),
            attrs=_attrs(strides, padding, more),
            static=(1,),
            gradients=(0, 2),
            label=_label(i, padding),
            **_SUMS,
        ),
    )
]

_NCHW = {"strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}

_FORMATS = [
    Case(
        "Conv2D",
        _pair((2, 3, 5, 6), (3, 3, 3, 4)),
        ("float32",),
        attrs=_NCHW,
        label="NCHW",
        gradients=(0, 1),
        **_SUMS,
    ),
    Case(
        "Conv2DBackpropInput",
        lambda v: [np.array([5, 6], "int32"), v.any(3, 2, 3, 4), v.any(2, 5, 6, 4)],
        attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
        static=(0,),
        label="spatial sizes only",
        **_SUMS,
    ),
]

_NARROW = [
    Case(
        "Conv2D",
        lambda v: [v.between(-1, 1, 2, 5, 6, 3), v.between(-1, 1, 3, 3, 3, 4)],
        ("float16", "bfloat16"),
        attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
        gradients=(0, 1),
        label="narrow",
        **_HALF,
    ),
]

_REFUSED = Case(
    "Conv2D",
    _pair((1, 4, 4, 2), (3, 3, 2, 2)),
    attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
    label="refused",
    bad=(
        _bad((4, 4, 2), (3, 3, 2, 2), "Shape must be rank 4 but is rank 3"),
        _bad((1, 4, 4, 2), (3, 2, 2), "Shape must be rank 4 but is rank 3"),
        _bad((1, 4, 4, 3), (3, 3, 2, 2), r"Depth of input \(3\) is not a multiple of input depth"),
        _bad((1, 4, 4, 6), (3, 3, 2, 4), r"Depth of output \(4\) is not a multiple of the number"),
        _bad((1, 4, 4, 2), (3, 3, 0, 2), "Depth of filter must not be 0"),
        _bad(
            (1, 2, 4, 2),
            (3, 3, 2, 2),
            "Negative dimension size caused by subtracting 3 from 2",
            padding="VALID",
        ),
        _bad((1, 4, 4, 2), (3, 3, 2, 2), "Stride must be > 0, but got 0", strides=[1, 0, 1, 1]),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "Conv2D on data format NHWC requires the stride attribute to contain 4 values, but "
            "got: 3",
            strides=[1, 1, 1],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "Conv2D requires the dilation attribute to contain 4 values, but got: 2",
            dilations=[1, 1],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "Dilation rate must be >= 1, but got 0",
            dilations=[1, 1, 0, 1],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "explicit_paddings attribute must contain 8 values, but got: 2",
            padding="EXPLICIT",
            explicit_paddings=[1, 1],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "Nonzero explicit padding in the batch or depth dimensions is not supported",
            padding="EXPLICIT",
            explicit_paddings=[1, 0, 0, 0, 0, 0, 0, 0],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "All elements of explicit_paddings must be nonnegative",
            padding="EXPLICIT",
            explicit_paddings=[0, 0, -1, 0, 0, 0, 0, 0],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT",
            explicit_paddings=[0] * 8,
        ),
        _bad((1, 4, 4, 2), (3, 3, 2, 2), "Attr 'padding' of 'Conv2D' Op passed", padding="FULL"),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "not yet support strides in the batch and depth dimensions",
            strides=[2, 1, 1, 1],
        ),
        _bad(
            (1, 4, 4, 2),
            (3, 3, 2, 2),
            "not yet support dilations in the batch and depth dimensions",
            dilations=[2, 1, 1, 1],
        ),
        _bad(
            (1, 4, 4, 3),
            (3, 3, 2, 2),
            "input depth must be evenly divisible by filter depth: 3 vs 2",
            "run",
        ),
        _bad((1, 4, 4, 2), (3, 0, 2, 2), "filter must not have zero elements", "run"),
    ),
)

_REFUSED_GRADIENTS = [
    Case(
        "Conv2DBackpropInput",
        lambda v: [np.array([1, 4, 4, 2], "int32"), v.any(3, 3, 2, 2), v.any(1, 4, 4, 2)],
        attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
        static=(0,),
        label="refused",
        bad=(
            *(
                Bad(
                    lambda v, s=sizes, f=filters: [
                        np.array(s, "int32"),
                        v.any(*f),
                        v.any(1, 4, 4, 2),
                    ],
                    text,
                    when="build",
                )
                for sizes, filters, text in (
                    ((4, 4, 2), (3, 3, 2, 2), "to contain 4 values or 2 values, but got: 3"),
                    ((2, 4, 4, 2), (3, 3, 2, 2), "Dimensions must be equal, but are 2 and 1"),
                    ((1, 4, 4, 2), (3, 3, 2, 3), "Dimensions must be equal, but are 2 and 3"),
                    (
                        (1, 4, 4, 3),
                        (3, 3, 2, 2),
                        "input depth must be evenly divisible by filter depth",
                    ),
                )
            ),
            Bad(
                lambda v: [np.array([1, 4, 4, 2], "int32"), v.any(3, 3, 2, 2), v.any(1, 4, 4, 2)],
                "not yet support strides in the batch and depth dimensions",
                {"strides": [1, 1, 1, 2], "padding": "SAME"},
                when="run",
            ),
        ),
        **_SUMS,
    ),
    Case(
        "Conv2DBackpropFilter",
        lambda v: [v.any(1, 4, 4, 2), np.array([3, 3, 2, 2], "int32"), v.any(1, 4, 4, 2)],
        attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
        static=(1,),
        label="refused",
        bad=tuple(
            Bad(
                lambda v, s=sizes: [v.any(1, 4, 4, 2), np.array(s, "int32"), v.any(1, 4, 4, 2)],
                text,
                when="build",
            )
            for sizes, text in (
                ((3, 3, 2), "Shape must be rank 4 but is rank 3"),
                ((3, 3, 3, 2), "input depth must be evenly divisible by filter depth"),
            )
        ),
        **_SUMS,
    ),
]

CASES = [*_FORWARD, *_BACKWARD, *_FORMATS, *_NARROW, _REFUSED, *_REFUSED_GRADIENTS]
