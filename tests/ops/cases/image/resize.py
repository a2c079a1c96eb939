"""Rows for resized images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import REAL, Bad, Case, Values

_IMAGES = tuple(dtype for dtype in REAL if dtype not in ("uint32", "uint64"))
_SIZES = ((3, 3), (7, 9), (1, 2), (4, 5))
"""Smaller, larger, along one axis to nothing much, and the same."""
_CONVENTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"align_corners": True},
    {"half_pixel_centers": True},
)


def _size(*sizes: int) -> Any:
    return np.array(sizes, np.int32)


def _made(size: tuple[int, int]) -> Any:
    return lambda v: [v.any(2, 4, 5, 3), _size(*size)]


_BAD_SIZES = (
    Bad(lambda v: [v.any(2, 4, 5), _size(2, 2)], "must be rank 4 but is rank 3", when="build"),
    Bad(
        lambda v: [v.any(2, 4, 5), _size(2, 2)],
        r"input must be 4-dimensional\[2,4,5\]",
        when="run",
    ),
    Bad(lambda v: [v.any(1, 4, 5, 3), _size(2)], "Dimension must be 2 but is 1", when="build"),
    Bad(
        lambda v: [v.any(1, 4, 5, 3), _size(2)], r"shape_t must have two elements\[1\]", when="run"
    ),
    Bad(
        lambda v: [v.any(1, 4, 5, 3), _size(2, 2)[None]],
        r"shape_t must be 1-dimensional\[1,2\]",
        when="run",
    ),
)
_BAD = (
    *_BAD_SIZES,
    Bad(lambda v: [v.any(1, 4, 5, 3), _size(0, 2)], "output dimensions must be positive"),
    Bad(lambda v: [v.any(1, 4, 0, 3), _size(2, 2)], "input image must be of non-zero size"),
    Bad(lambda v: [v.any(1, 4, 5, 0), _size(2, 2)], "image must have at least one channel"),
)
_BOTH = Bad(
    lambda v: [v.any(1, 4, 5, 3), _size(2, 2)],
    "If half_pixel_centers is True, align_corners must be False",
    {"align_corners": True, "half_pixel_centers": True},
)


def _forward(op: str, conventions: Any, gradients: tuple[int, ...]) -> list[Case]:
    # Results are single precision, also of doubles: too little for finite differences.
    return [
        Case(
            op,
            _made(size),
            _IMAGES if size == (3, 3) else ("float32", "uint8"),
            attrs=convention,
            gradients=gradients if size in ((3, 3), (7, 9)) else (),
            static=(1,) if size == (7, 9) else (),
            bad=(*_BAD, *((_BOTH,) if len(conventions) == 3 else ())) if index == 0 else (),
            label=f"{size} {' '.join(convention)}",
            numeric=False,
        )
        for index, (size, convention) in enumerate(
            (size, convention) for size in _SIZES for convention in conventions
        )
    ]


def _backward(op: str, dtypes: tuple[str, ...]) -> list[Case]:
    def made(v: Values) -> list[Any]:
        return [Values("float32").any(2, 7, 4, 3), v.any(2, 4, 5, 3)]

    empty = np.zeros((1, 0, 2, 1), np.float32)
    images = np.ones((1, 2, 2, 1), np.float32)
    bad = (
        Bad(lambda v: [images[0], images], r"input_grad must be 4-dimensional", when="run"),
        Bad(lambda v: [images, images[0]], r"original_image must be 4-dimensional", when="run"),
        Bad(lambda v: [empty, images], "resized dimensions must be positive"),
        Bad(lambda v: [images, empty], "original dimensions must be positive"),
    )
    return [
        Case(op, made, dtypes, attrs=convention, bad=bad, label=" ".join(convention))
        for convention in _CONVENTIONS
    ]


CASES = [
    *_forward("ResizeBilinear", _CONVENTIONS, (0,)),
    *_forward("ResizeNearestNeighbor", _CONVENTIONS, (0,)),
    *_forward("ResizeBicubic", _CONVENTIONS, (0,)),
    *_forward("ResizeArea", _CONVENTIONS[:2], ()),
    Case(
        "ResizeBilinear",
        lambda v: [v.any(0, 4, 5, 3), _size(2, 2)],
        label="no images",
    ),
    Case("ResizeBilinear", lambda v: [v.any(5, 90, 80, 3), _size(60, 100)], label="large"),
    Case("ResizeBicubic", lambda v: [v.any(2, 300, 90, 3), _size(60, 400)], label="large"),
    Case("ResizeBilinear", lambda v: [v.any(1, 20, 60, 3), _size(31, 700)], label="long rows"),
    Case("ResizeBicubic", lambda v: [v.any(1, 20, 700, 3), _size(31, 600)], label="long rows"),
    *(
        Case("ResizeBicubic", lambda v, d=d: [v.any(2, 9, 11, d), _size(13, 5)], label=f"{d} deep")
        for d in (15, 16)
    ),
    # More places than are summed together.
    Case("ResizeBicubic", lambda v: [v.any(2, 3, 20, 16), _size(7, 900)], label="deep, wide"),
    Case(
        "ResizeBilinearGrad",
        lambda v: [Values("float32").any(2, 7, 4, 16), v.any(2, 4, 9, 16)],
        ("float32", "float64"),
        label="deep",
    ),
    *_backward("ResizeBilinearGrad", ("float32", "float64", "float16", "bfloat16")),
    *_backward("ResizeBicubicGrad", ("float32", "float64")),
    Case(
        "ResizeBilinearGrad",
        lambda v: [np.zeros((0, 4, 5, 3), "float32"), v.any(0, 7, 6, 3)],
        label="no images",
    ),
    Case(
        "ResizeNearestNeighborGrad",
        lambda v: [v.any(0, 7, 4, 3), _size(4, 5)],
        label="no images",
    ),
    *(
        Case(
            "ResizeNearestNeighborGrad",
            lambda v: [v.any(2, 7, 4, 3), _size(4, 5)],
            ("uint8", "int8", "int32", "float16", "float32", "float64", "bfloat16"),
            attrs=convention,
            bad=(
                *_BAD_SIZES,
                Bad(
                    lambda v: [v.any(1, 4, 5, 3), _size(0, 2)],
                    "shape_t's elements must be positive",
                ),
            ),
            label=" ".join(convention),
        )
        for convention in _CONVENTIONS
    ),
    Case(
        "ResizeNearestNeighborGrad",
        lambda v: [v.any(2, 0, 4, 3), _size(4, 5)],
        label="of nothing",
    ),
]
