"""Rows for pooling and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, FLOATS, Bad, Case, Values

_MAX_TYPES = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16")
_VOLUMES = ("float32", "bfloat16")

Shape = tuple[int, ...]

# Input, window, strides, padding.
_WINDOWS: Sequence[tuple[Shape, Shape, Shape, str]] = (
    ((2, 4, 6, 3), (2, 2), (2, 2), "VALID"),
    ((2, 5, 7, 2), (2, 2), (2, 2), "SAME"),
    ((1, 5, 5, 2), (3, 3), (1, 1), "SAME"),
    ((1, 6, 5, 1), (3, 2), (2, 1), "VALID"),
    ((1, 7, 7, 2), (2, 3), (3, 4), "SAME"),
    ((1, 4, 4, 2), (1, 1), (2, 2), "VALID"),
    ((1, 2, 2, 1), (5, 5), (2, 2), "SAME"),
    ((0, 4, 4, 2), (2, 2), (2, 2), "SAME"),
)
_VOLUME_WINDOWS: Sequence[tuple[Shape, Shape, Shape, str]] = (
    ((2, 4, 4, 6, 2), (2, 2, 2), (2, 2, 2), "VALID"),
    ((1, 3, 5, 4, 2), (2, 3, 2), (1, 2, 2), "SAME"),
)


def _attrs(size: Shape, strides: Shape, padding: str, **more: Any) -> dict[str, Any]:
    return {"ksize": [1, *size, 1], "strides": [1, *strides, 1], "padding": padding, **more}


def _label(x: Shape, size: Shape, strides: Shape, padding: str) -> str:
    return f"{x}{size}{strides}{padding}"


def _pooled(x: Shape, size: Shape, strides: Shape, padding: str) -> Shape:
    spatial = (
        -(-n // s) if padding == "SAME" else (n - k) // s + 1
        for n, k, s in zip(x[1:-1], size, strides, strict=True)
    )
    return (x[0], *spatial, x[-1])


def _bad(x: Shape, text: str, when: str = "build", **attrs: Any) -> Bad:
    known = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    return Bad(lambda v: [v.any(*x)], text, attrs={**known, **attrs}, when=when)


_REFUSED = (
    _bad((2, 3, 4), "Shape must be rank 4 but is rank 3"),
    _bad((1, 1, 3, 1), "Negative dimension size caused by subtracting 2 from 1", padding="VALID"),
    _bad((1, 3, 3, 1), "Stride must be > 0, but got 0", strides=[1, 0, 2, 1]),
    _bad((1, 3, 3, 1), "passed list of length 3 less than minimum 4", ksize=[1, 2, 2]),
    _bad((1, 3, 3, 1), "ksize must be (a )?positive", ksize=[1, 0, 2, 1]),
    _bad((2, 3, 3, 1), "Pooling is not yet supported on the batch dimension", ksize=[2, 2, 2, 1]),
)
_REFUSED_DEPTH = (
    _bad(
        (1, 2, 2, 5),
        "requires the depth window to evenly divide the input depth",
        ksize=[1, 1, 1, 2],
        strides=[1, 1, 1, 2],
    ),
    _bad(
        (1, 2, 2, 4),
        "exactly one of pooling across depth or pooling across width/height",
        ksize=[1, 2, 1, 2],
        strides=[1, 1, 1, 2],
    ),
    _bad(
        (1, 3, 3, 1),
        "Top padding 2 needs to be smaller than the window size 2",
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 2, 1, 1, 0, 0, 0],
    ),
)

_FORWARD = [
    Case(
        op,
        lambda v, x=x: [v.distinct(*x)],
        types if x[0] == 2 else FLOAT32_64,
        attrs=_attrs(size, strides, padding),
        gradients=(0,) if x[0] else (),
        label=_label(x, size, strides, padding),
        bad=_REFUSED if i == 0 else (),
    )
    for op, types in (("MaxPool", _MAX_TYPES), ("AvgPool", FLOATS))
    for i, (x, size, strides, padding) in enumerate(_WINDOWS)
]


def _special(v: Values) -> np.ndarray:
    return np.array([[1, np.nan], [2, 3]]).reshape(1, 2, 2, 1).astype(v.dtype)


_MAXIMA = [
    Case(
        "MaxPool",
        lambda v: [v.any(2, 2, 3, 6)],
        attrs={"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3], "padding": "VALID"},
        label="depth",
        bad=_REFUSED_DEPTH,
    ),
    Case(
        "MaxPool",
        lambda v: [v.distinct(1, 4, 4, 2)],
        attrs=_attrs((2, 3), (2, 2), "EXPLICIT", explicit_paddings=[0, 0, 1, 0, 1, 2, 0, 0]),
        label="explicit",
        gradients=(0,),
    ),
    Case("MaxPool", lambda v: [_special(v)], attrs=_attrs((2, 2), (2, 2), "SAME"), label="NaN"),
    Case(
        "MaxPool",
        lambda v: [v.any(2, 3, 4, 5)],
        attrs={
            "ksize": [1, 1, 2, 2],
            "strides": [1, 1, 2, 2],
            "padding": "SAME",
            "data_format": "NCHW",
        },
        dtypes=("float32",),
        label="NCHW",
    ),
    Case(
        "AvgPool",
        lambda v: [v.any(2, 3, 4, 5)],
        attrs={
            "ksize": [1, 1, 2, 2],
            "strides": [1, 1, 2, 2],
            "padding": "SAME",
            "data_format": "NCHW",
        },
        dtypes=("float32",),
        label="NCHW",
    ),
    *(
        Case(
            "MaxPoolV2",
            lambda v, x=x, k=size, s=strides: [
                v.distinct(*x),
                np.array([1, *k, 1], "int32"),
                np.array([1, *s, 1], "int32"),
            ],
            attrs={"padding": padding},
            static=(1, 2),
            gradients=(0,),
            label=_label(x, size, strides, padding),
            bad=(
                Bad(
                    lambda v: [
                        v.any(1, 3, 3, 1),
                        np.array([1, 2], "int32"),
                        np.array([1, 2, 2, 1], "int32"),
                    ],
                    "Dimension must be 4 but is 2",
                    when="build",
                ),
                Bad(
                    lambda v: [
                        v.any(1, 3, 3, 1),
                        np.array([1, 2], "int32"),
                        np.array([1, 2, 2, 1], "int32"),
                    ],
                    "Sliding window ksize field must specify 4 dimensions",
                    when="run",
                ),
            ),
        )
        for x, size, strides, padding in _WINDOWS[:3]
    ),
    *(
        Case(
            "MaxPoolWithArgmax",
            lambda v, x=x: [v.distinct(*x)],
            _MAX_TYPES,
            attrs=_attrs(size, strides, padding, include_batch_in_index=batch, Targmax=target),
            label=f"{_label(x, size, strides, padding)}{batch}",
            gradients=(0,) if target == "int64" else (),
            bad=(Bad(lambda v: [v.any(0, 4, 4, 1)], "tensor_in must not be empty"),),
        )
        for (x, size, strides, padding), batch, target in (
            (_WINDOWS[0], False, "int64"),
            (_WINDOWS[1], True, "int64"),
            (_WINDOWS[2], False, "int32"),
        )
    ),
]


def _ties(v: Values, shape: Shape) -> np.ndarray:
    """Few different values, so that windows have several greatest elements."""
    return np.asarray(v.any(*shape).round().clip(0, 2))


def _maxima(x: np.ndarray, size: Shape, strides: Shape, padding: str) -> np.ndarray:
    """The greatest element of each window, found one window at a time."""
    result = np.empty(_pooled(x.shape, size, strides, padding), x.dtype)
    for place in np.ndindex(*result.shape[1:-1]):
        index: list[slice] = [slice(None)]
        for axis, at in enumerate(place):
            out, step, extent = result.shape[axis + 1], strides[axis], size[axis]
            missing = max(0, (out - 1) * step + extent - x.shape[axis + 1])
            start = at * step - (missing // 2 if padding == "SAME" else 0)
            index.append(slice(max(0, start), start + extent))
        window = x[tuple(index)]
        result[(slice(None), *place)] = window.max(axis=tuple(range(1, x.ndim - 1)))
    return result


def _three(x: Shape, size: Shape, strides: Shape, padding: str, of_input: bool) -> Any:
    """Input, its maxima, and something of the shape of the input or of the maxima."""

    def args(v: Values) -> list[np.ndarray]:
        values = v.distinct(*x)
        maxima = _maxima(values, size, strides, padding)
        return [values, maxima, v.any(*(x if of_input else maxima.shape))]

    return args


_GRADIENTS = [
    case
    # TensorFlow's gradient kernels abort the process for an empty batch.
    for x, size, strides, padding in _WINDOWS[:-1]
    for case in (
        Case(
            "MaxPoolGrad",
            _three(x, size, strides, padding, of_input=False),
            _MAX_TYPES if x[0] == 2 else FLOAT32_64,
            attrs=_attrs(size, strides, padding),
            label=_label(x, size, strides, padding),
            gradients=(2,),
        ),
        Case(
            "MaxPoolGradGrad",
            _three(x, size, strides, padding, of_input=True),
            attrs=_attrs(size, strides, padding),
            label=_label(x, size, strides, padding),
            gradients=(2,),
        ),
        Case(
            "AvgPoolGrad",
            lambda v, a=(x, size, strides, padding): [
                np.array(a[0], "int32"),
                v.any(*_pooled(*a)),
            ],
            FLOATS,
            attrs=_attrs(size, strides, padding),
            static=(0,),
            label=_label(x, size, strides, padding),
            gradients=(1,),
        ),
    )
]

_POOL = _attrs((2, 2), (2, 2), "SAME")


def _bad_three(x: Shape, y: Shape, grad: Shape, text: str, when: str = "run") -> Bad:
    return Bad(lambda v: [v.any(*x), v.any(*y), v.any(*grad)], text, when=when)


def _tied_maxima(v: Values) -> list[np.ndarray]:
    x = _ties(v, (2, 5, 5, 2))
    return [x, _maxima(x, (3, 3), (2, 2), "SAME"), v.any(2, 5, 5, 2)]


_MORE_GRADIENTS = [
    Case(
        "MaxPoolGrad",
        lambda v: [_ties(v, (2, 5, 5, 2)), v.any(2, 3, 3, 2), v.any(2, 3, 3, 2)],
        attrs=_attrs((3, 3), (2, 2), "SAME"),
        label="ties",
        bad=(
            _bad_three(
                (1, 4, 4), (1, 2, 2), (1, 2, 2), "Shape must be rank 4 but is rank 3", "build"
            ),
            _bad_three((1, 4, 4, 1), (1, 2, 2, 1), (1, 2, 1, 1), r"Expected grad shape to be "),
            _bad_three(
                (1, 4, 2, 1),
                (1, 2, 2, 1),
                (1, 2, 1, 1),
                r"Expected orig_output shape to be \[1,2,1,1\], but got \[1,2,2,1\]",
            ),
            _bad_three((1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1), "tensor_in must be 4-dimensional"),
            _bad_three((1, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1), "out_backprop must be 4-dimensional"),
        ),
    ),
    Case(
        "MaxPoolGradGrad",
        _tied_maxima,
        attrs=_attrs((3, 3), (2, 2), "SAME"),
        label="ties",
        bad=(
            _bad_three(
                (1, 5, 5, 1), (1, 3, 3, 1), (1, 4, 5, 1), "Dimension 1 in both shapes", "build"
            ),
            _bad_three(
                (1, 5, 5, 1),
                (1, 3, 3, 1),
                (1, 4, 5, 1),
                r"Expected grad shape to be \[1,5,5,1\], but got \[1,4,5,1\]",
            ),
        ),
    ),
    *(
        Case(
            f"{op}V2",
            lambda v, of_input=of_input: [
                *_three((2, 5, 5, 2), (3, 2), (2, 2), "SAME", of_input)(v),
                np.array([1, 3, 2, 1], "int32"),
                np.array([1, 2, 2, 1], "int32"),
            ],
            attrs={"padding": "SAME"},
            static=(3, 4),
            gradients=(2,) if op == "MaxPoolGrad" else (),
        )
        for op, of_input in (("MaxPoolGrad", False), ("MaxPoolGradGrad", True))
    ),
    *(
        Case(
            "MaxPoolGradWithArgmax",
            lambda v, b=batch: [
                v.any(2, 4, 4, 1),
                v.any(2, 2, 2, 1),
                np.array([[0, 3, 9, 15], [5, 5, 8, 10]]).reshape(2, 2, 2, 1)
                + (np.array([0, 16]).reshape(2, 1, 1, 1) if b else 0),
            ],
            attrs={**_POOL, "include_batch_in_index": batch},
            label=f"batch={batch}",
            bad=(
                Bad(
                    lambda v: [v.any(1, 4, 2, 1), v.any(1, 1, 1, 1), np.zeros((1, 1, 1, 1), int)],
                    r"Expected grad shape to be \[1,2,1,1\], but got \[1,1,1,1\]",
                    when="run",
                ),
            ),
        )
        for batch in (False, True)
    ),
    Case(
        "AvgPoolGrad",
        lambda v: [np.array([1, 4, 4, 1], "int32"), v.any(1, 2, 2, 1)],
        attrs=_POOL,
        static=(0,),
        label="refused",
        bad=(
            Bad(
                lambda v: [np.array([4, 4, 1], "int32"), v.any(1, 2, 2, 1)],
                "Shape must be rank 4 but is rank 3",
                when="build",
            ),
        ),
    ),
]

_VOLUME = [
    case
    for x, size, strides, padding in _VOLUME_WINDOWS
    for attrs in (_attrs(size, strides, padding),)
    for y in (_pooled(x, size, strides, padding),)
    for label in (_label(x, size, strides, padding),)
    for case in (
        Case(
            "MaxPool3D",
            lambda v, x=x: [v.distinct(*x)],
            _VOLUMES,
            attrs=attrs,
            label=label,
            gradients=(0,),
        ),
        Case(
            "AvgPool3D",
            lambda v, x=x: [v.any(*x)],
            _VOLUMES,
            attrs=attrs,
            label=label,
            gradients=(0,),
        ),
        Case(
            "MaxPool3DGrad",
            _three(x, size, strides, padding, of_input=False),
            _VOLUMES,
            attrs=attrs,
            label=label,
            gradients=(2,),
        ),
        Case(
            "MaxPool3DGradGrad",
            _three(x, size, strides, padding, of_input=True),
            _VOLUMES,
            attrs=attrs,
            label=label,
            gradients=(2,),
        ),
        Case(
            "AvgPool3DGrad",
            lambda v, x=x, y=y: [np.array(x, "int32"), v.any(*y)],
            _VOLUMES,
            attrs=attrs,
            static=(0,),
            label=label,
            gradients=(1,),
        ),
    )
] + [
    Case(
        "MaxPool3D",
        lambda v: [v.any(1, 2, 2, 2, 2)],
        _VOLUMES,
        attrs=_attrs((2, 2, 2), (2, 2, 2), "SAME"),
        label="refused",
        bad=(
            Bad(
                lambda v: [v.any(1, 2, 2, 2, 2)],
                "Pooling is not yet supported on the depth dimension",
                attrs={"ksize": [1, 1, 1, 1, 2], "strides": [1, 1, 1, 1, 1], "padding": "SAME"},
                when="build",
            ),
        ),
    ),
]


CASES = [*_FORWARD, *_MAXIMA, *_GRADIENTS, *_MORE_GRADIENTS, *_VOLUME]
