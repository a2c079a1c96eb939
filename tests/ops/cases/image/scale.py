"""Rows for images scaled and moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import REAL, Bad, Case

_KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic")
_TYPES = tuple(dtype for dtype in REAL if dtype not in ("uint32", "uint64"))


def _move(*values: float) -> Any:
    return np.array(values, np.float32)


def _size(*sizes: int) -> Any:
    return np.array(sizes, np.int32)


_MOVES = {
    "smaller": (_size(5, 4), _move(0.5, 0.45), _move(0, 0)),
    "larger": (_size(20, 22), _move(1.8, 2.3), _move(0, 0)),
    "moved": (_size(9, 9), _move(0.8, 1.2), _move(1.3, -2.2)),
}


def _args(move: str) -> Any:
    return lambda v: [v.any(2, 11, 9, 3), *_MOVES[move]]


def _gradient_args(move: str) -> Any:
    size, *moves = _MOVES[move]
    return lambda v: [v.any(2, *size, 3), v.any(2, 11, 9, 3), *moves]


_IMAGES = np.ones((1, 4, 5, 2), np.float32)


def _bad(images: Any = _IMAGES, size: Any = _MOVES["smaller"][0], *moves: Any) -> Any:
    return lambda v: [images, size, *(moves or _MOVES["smaller"][1:])]


_BAD = (
    Bad(_bad(_IMAGES[0]), "input must be 4-dimensional", when="run"),
    Bad(_bad(_IMAGES, _size(0, 2)), "output dimensions must be positive"),
    Bad(_bad(_IMAGES, _size(2)), "output_shape_t must have two elements", when="run"),
    Bad(_bad(_IMAGES[:, :0]), "input image must be of non-zero size"),
    Bad(_bad(_IMAGES, _size(2, 2), _move(0, 1), _move(0, 0)), "Scale must be greater than zero"),
    Bad(_bad(_IMAGES, _size(2, 2), _move(1), _move(0, 0)), "t must have two elements"),
    Bad(_bad(), "Unrecognized kernel type: unknown", {"kernel_type": "unknown"}),
)
CASES = [
    *(
        Case(
            "ScaleAndTranslate",
            _args(move),
            _TYPES if (kind, move) == ("lanczos3", "smaller") else ("float32",),
            attrs={"kernel_type": kind, "antialias": smooths},
            gradients=(0,) if kind in ("lanczos3", "triangle") else (),
            # Results are single precision, also of doubles: too little for finite differences.
            numeric=False,
            bad=_BAD if (kind, move, smooths) == ("box", "larger", True) else (),
            label=f"{kind} {move} {smooths}",
            atol=1e-5,
        )
        for kind in (*_KERNELS, "mitchellcubic")
        for move in _MOVES
        for smooths in (True, False)
        # TensorFlow has a gradient for float32 only.
        if (kind, move) != ("lanczos3", "smaller")
    ),
    Case(
        "ScaleAndTranslate",
        lambda v: [v.any(2, 11, 9, 3), *_MOVES["smaller"]],
        _TYPES,
        atol=1e-5,
        label="types",
    ),
    *(
        Case(
            "ScaleAndTranslateGrad",
            _gradient_args(move),
            ("float32",),
            attrs={"kernel_type": "keyscubic"},
            atol=1e-5,
            label=move,
            bad=(
                Bad(
                    lambda v: [_IMAGES[0], _IMAGES, *_MOVES["smaller"][1:]],
                    "input_grad must be 4-dimensional",
                ),
                Bad(
                    lambda v: [_IMAGES, _IMAGES[0], *_MOVES["smaller"][1:]],
                    "original_image must be 4-dimensional",
                ),
            ),
        )
        for move in _MOVES
    ),
]
