"""Rows for crops and glimpses."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import INTEGERS, Bad, Case, Values

_TYPES = ("float32", "float64", "float16", *(t for t in INTEGERS if t not in ("uint32", "uint64")))
_FLOAT32 = Values("float32")
_SUMS = {"float32": 1e-4}
_CROPS = ((3, 4), (1, 1), (1, 5), (9, 2))


def _size(*sizes: int) -> Any:
    return np.array(sizes, np.int32)


def _boxes() -> Any:
    """Boxes inside of images and partly outside, some turned round."""
    corners = [[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [-0.3, 0.5, 0.6, 1.4], [0.9, 0.8, 0.1, 0.3]]
    return np.array([*corners, [1.5, 1.5, 2, 2]], np.float32)


def _owners() -> Any:
    return np.array([0, 1, 1, 0, 1], np.int32)


def _crop(size: tuple[int, int]) -> Any:
    return lambda v: [v.any(2, 5, 6, 3), _boxes(), _owners(), _size(*size)]


def _glimpse(offsets: Any) -> Any:
    return lambda v: [v.any(3, 7, 9, 2), _size(4, 3), np.array(offsets, np.float32)]


def _bad(images: Any, boxes: Any, owners: Any, size: Any) -> Any:
    return lambda v: [images, boxes, owners, size]


_IMAGE = np.ones((2, 5, 6, 3), np.float32)
_OTHERS = np.zeros(4, np.int32)
_BAD = (
    Bad(_bad(_IMAGE[0], _boxes(), _owners(), _size(2, 2)), "input image must be 4-D", when="run"),
    Bad(_bad(_IMAGE, _boxes()[:, :3], _owners(), _size(2, 2)), "4", when="any"),
    Bad(_bad(_IMAGE, _boxes()[0], _owners(), _size(2, 2)), "boxes must be 2-D", when="run"),
    Bad(_bad(_IMAGE, _boxes(), _owners()[None], _size(2, 2)), "must be rank 1 but is"),
    Bad(
        _bad(_IMAGE, _boxes(), _OTHERS, _size(2, 2)), "must be equal, but are 5 and 4", when="build"
    ),
    Bad(_bad(_IMAGE, _boxes(), _OTHERS, _size(2, 2)), "box_index has incompatible", when="run"),
    Bad(_bad(_IMAGE, _boxes(), _owners() + 1, _size(2, 2)), r"outside \[0, batch_size\)"),
    Bad(_bad(_IMAGE, _boxes(), _owners(), _size(2)), "crop_size must have two", when="run"),
    Bad(_bad(_IMAGE, _boxes(), _owners(), _size(0, 2)), "crop dimensions must be positive"),
    Bad(_bad(_IMAGE[:, :0], _boxes(), _owners(), _size(2, 2)), "dimensions must be positive"),
    Bad(_bad(_IMAGE, _boxes() * np.float32("nan"), _owners(), _size(2, 2)), "not finite"),
)
_FORWARD = [
    Case(
        "CropAndResize",
        _crop(size),
        _TYPES if size == (3, 4) else ("float32",),
        attrs={"method": method, "extrapolation_value": 0.5},
        # The gradient of the boxes is that of bilinear crops, whatever the method.
        gradients=(0, 1) if method == "bilinear" else (0,),
        # Results are single precision, also of doubles: too little for finite differences.
        numeric=False,
        bad=_BAD if (method, size) == ("bilinear", (1, 1)) else (),
        # Gradients are sums of many numbers.
        rtol=_SUMS,
        atol=_SUMS,
        label=f"{method} {size}",
    )
    for method in ("bilinear", "nearest")
    for size in _CROPS
]


def _features(height: int, channels: int, spoilt: bool = False) -> Any:
    """Images of many channels, boxes of which are weighted sums."""

    def make(v: Values) -> list[Any]:
        images = np.array(v.any(2, height, 6, channels), v.dtype)
        if spoilt:
            images[0, 1, 2, 3], images[1, 2, 1, 0] = np.nan, np.inf
        return [images, _boxes(), _owners(), _size(3, 4)]

    return make


_MANY_CHANNELS = [
    Case(
        "CropAndResize",
        _features(*sizes),
        ("float32", "float64"),
        attrs={"method": "bilinear", "extrapolation_value": 0.5},
        numeric=False,
        label=f"features {sizes}",
    )
    for sizes in ((5, 15), (5, 16), (5, 40), (70, 16), (5, 16, True))
]
_GRADS = np.asarray(_FLOAT32.any(5, 3, 4, 3))
_BACKWARD = [
    Case(
        "CropAndResizeGradImage",
        lambda v: [_GRADS, _boxes(), _owners(), _size(2, 5, 6, 3)],
        ("float32", "float64", "float16"),
        attrs={"method": method},
        type_attr="T",
        bad=(
            Bad(
                lambda v: [_GRADS[0], _boxes(), _owners(), _size(2, 5, 6, 3)],
                "grads image must be 4-D",
            ),
            Bad(
                lambda v: [_GRADS, _boxes(), _owners(), _size(2, 5, 6)],
                "image_size must have 4 elements",
                when="run",
            ),
            Bad(
                lambda v: [_GRADS, _boxes(), _owners(), _size(2, 5, 0, 3)],
                "image dimensions must be positive",
            ),
            Bad(
                lambda v: [_GRADS, _boxes(), _owners(), _size(2, 5, 6, 4)],
                "image_size and grads are incompatible",
            ),
            Bad(
                lambda v: [_GRADS, _boxes(), _owners(), _size(1, 5, 6, 3)],
                r"outside \[0, batch_size\)",
            ),
        ),
        label=method,
    )
    for method in ("bilinear", "nearest")
]
_OF_BOXES = Case(
    "CropAndResizeGradBoxes",
    lambda v: [_GRADS, v.any(2, 5, 6, 3), _boxes(), _owners()],
    _TYPES,
    rtol=_SUMS,
    atol=_SUMS,
    bad=(
        Bad(lambda v: [_GRADS[0], _IMAGE, _boxes(), _owners()], "grads image must be 4-D"),
        Bad(lambda v: [_GRADS, _IMAGE[..., :2], _boxes(), _owners()], "image, grads depth differ"),
        Bad(lambda v: [_GRADS, _IMAGE[:1], _boxes(), _owners()], r"outside \[0, batch_size\)"),
    ),
)
_ON_PIXELS = Case(
    "CropAndResizeGradBoxes",
    lambda v: [
        _GRADS[:1],
        v.any(1, 5, 6, 3),
        np.array([[0, 0.2, 1, 0.6]], np.float32),
        _owners()[:1],
    ],
    ("float32",),
    rtol=_SUMS,
    atol=_SUMS,
    label="a place on a pixel, where the slope jumps",
)
_GLIMPSES = [
    Case(
        op,
        _glimpse(offsets),
        ("float32",),
        attrs={
            "centered": centered,
            "normalized": normalized,
            "uniform_noise": False,
            "noise": "zero",
        },
        bad=(
            Bad(lambda v: [v.any(7, 9, 2), _size(4, 3), v.any(3, 2)], "must be 4-dim", when="run"),
            Bad(lambda v: [v.any(3, 7, 9, 2), _size(4), v.any(3, 2)], "of size 2", when="run"),
            Bad(lambda v: [v.any(3, 7, 9, 2), _size(4, 3), v.any(2, 2)], "be batch", when="run"),
            Bad(lambda v: [v.any(3, 7, 9, 2), _size(4, 3), v.any(3)], "a matrix", when="run"),
            Bad(lambda v: [v.any(3, 7, 9, 2), _size(-1, 3), v.any(3, 2)], "-1", when="run"),
            Bad(
                lambda v: [v.any(3, 7, 9, 2), _size(4, 3), v.any(3, 2)],
                "uniform_noise should not be True when noise is not uniform",
                {"noise": "zero"},
            ),
        )
        if centered and normalized
        else (),
        label=f"{centered} {normalized} {offsets}",
    )
    for op in ("ExtractGlimpse", "ExtractGlimpseV2")
    for centered in (True, False)
    for normalized in (True, False)
    for offsets in ([[0.1, 0.2], [-0.9, 0.8], [4, 0]], [[0, 0], [3, 2], [-2.5, 5.5]])
]
CASES = [*_FORWARD, *_MANY_CHANNELS, *_BACKWARD, _OF_BOXES, _ON_PIXELS, *_GLIMPSES]
