"""Rows for ops of images that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run


def _contrast(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf)

    def made(images: Any, least: Any = -2.0, factor: Any = 1.5) -> Any:
        return raw.AdjustContrast(
            images=images, contrast_factor=factor, min_value=least, max_value=3.0
        )

    shapes = ((2, 3, 4, 3), (3, 4, 1), (0, 3, 4, 2))
    yield run(*(made(v.fed(v.any(*shape))) for shape in shapes))
    yield refused_alike(lambda: made(tf.constant(v.any(3, 4))))
    image = tf.constant(v.any(3, 4, 1))
    yield refused_alike(lambda: made(image, np.float32([1, 2])))
    yield refused_alike(lambda: made(image, factor=np.float32([1])))


def _cropped(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = make_old(tf)

    def made(image: Any, size: Any) -> Any:
        return raw.RandomCrop(image=image, size=size, seed=3, seed2=4)

    image = v.fed(v.any(5, 7, 2))
    parts = [made(image, v.known(np.int64(s))) for s in ([2, 3], [5, 3], [2, 7], [5, 7], [0, 3])]
    for _ in range(3):
        yield run(*parts)
    unknown = v.hidden(np.int64([2, 3]))
    yield infers(made(image, unknown), made(image, tf.constant([2, 3], tf.int64)))
    for error, text, size in (
        ("FailedPreconditionError", "height = 5, target_height = 6", [6, 7]),
        ("FailedPreconditionError", "width = 7, target_width = 8", [6, 8]),
        ("InvalidArgumentError", "must have two elements", [1]),
        ("InvalidArgumentError", "must be 1-dimensional", [[1, 1]]),
    ):
        yield fails(error, text, made(image, v.hidden(np.int64(size))))
    flat = v.hidden(v.any(5, 7))
    yield fails("InvalidArgumentError", "input must be 3-dimensional", made(flat, unknown))
    yield refused_alike(lambda: made(tf.constant(v.any(3, 4)), unknown))
    whole = tf.constant(v.any(5, 7, 2))
    yield refused_alike(lambda: made(whole, np.int64([1, 2, 3])))


PROGRAMS = [
    Program(
        "RandomCrop",
        _cropped,
        ("float32", "float64", "uint8", "int8", "int16", "int32", "int64"),
    ),
    Program(
        "AdjustContrast",
        _contrast,
        ("float32", "float64", "uint8", "int8", "int16", "int32"),
        rtol=1e-4,
        atol=1e-4,
    ),
]
