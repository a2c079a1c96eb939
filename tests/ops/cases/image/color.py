"""Rows for colors and contrast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import FLOATS, Bad, Case, Values

_SHAPES = ((5, 7, 3), (2, 3, 4, 3), (3,), (0, 2, 3))


def _colors(v: Values, *shape: int) -> np.ndarray:
    """Colors in and around the unit cube, some of them grey, black or pure."""
    colors = v.between(-0.1, 1.1, *shape)
    if shape[0] > 2 and len(shape) > 1:
        colors[0] = np.round(colors[0].astype(np.float32)).astype(colors.dtype)
        colors[1] = colors[1][..., :1]
    return colors


def _amount(value: float) -> np.ndarray:
    return np.array(value, np.float32)


def _args(shape: tuple[int, ...], *more: Any) -> Any:
    return lambda v: [_colors(v, *shape), *more]


_CONVERSIONS = [
    Case(
        op,
        _args(shape),
        FLOATS,
        label=str(shape),
        bad=(
            Bad(lambda v: [v.any(2, 4)], "Dimension must be 3 but is 4", when="build"),
            Bad(lambda v: [v.any(2, 4)], "input must have 3 channels", when="run"),
            Bad(lambda v: [v.any()], "must be at least rank 1 but is rank 0", when="build"),
            Bad(lambda v: [v.any()], r"input must be at least 1D\[\]", when="run"),
        )
        if shape == (3,)
        else (),
    )
    for op in ("RGBToHSV", "HSVToRGB")
    for shape in _SHAPES
]
_ADJUSTMENTS = [
    Case(
        op,
        _args(shape, _amount(amount)),
        ("float32",),
        label=f"{amount} {shape}",
        bad=(
            Bad(lambda v: [v.any(2, 3), _amount(1)], "must be at least rank 3", when="build"),
            Bad(
                lambda v: [v.any(2, 3), _amount(1)],
                r"input must be at least 3-D, got shape\[2,3\]",
                when="run",
            ),
            Bad(
                lambda v: [v.any(2, 2, 3), np.ones(1, np.float32)],
                r"must be scalar: \[1\]",
                when="run",
            ),
        ),
    )
    for op, amounts in (
        ("AdjustHue", (-0.7, 0.25)),
        ("AdjustSaturation", (0.5, 3.0)),
        ("AdjustContrastv2", (0.3, 2.5)),
    )
    for amount in amounts
    for shape in ((5, 7, 3), (2, 3, 4, 3), (0, 2, 3))
]
_OTHER_CHANNELS = [
    Case(
        op,
        lambda v: [_colors(v, 3, 4, 3), _amount(0.5)],
        ("float32",),
        label="channels",
        bad=(
            Bad(
                lambda v: [v.any(2, 2, 4), _amount(0.5)],
                "input must have 3 channels but instead has 4 channels",
            ),
        ),
    )
    for op in ("AdjustHue", "AdjustSaturation")
]
_GRADIENT = Case(
    "RGBToHSV",
    lambda v: [v.between(0.05, 1, 4, 5, 3)],
    gradients=(0,),
    rtol={"float32": 1e-4},
    atol={"float32": 1e-4},
    label="slopes",
)
CASES = [
    *_CONVERSIONS,
    *_ADJUSTMENTS,
    *_OTHER_CHANNELS,
    _GRADIENT,
    Case("AdjustContrastv2", lambda v: [v.any(3, 4, 2), _amount(1.5)], ("float32",), label="two"),
    *(
        Case(
            "AdjustContrastv2",
            lambda v, shape=shape: [v.any(*shape), _amount(1.5)],
            ("float32",),
            label=label,
        )
        for label, shape in (("large", (150, 300, 3)), ("many", (9, 80, 70, 3)))
    ),
]
