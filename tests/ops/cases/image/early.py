"""Rows for ops of images that TensorFlow has given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.early import make_old
from tests.ops.program import Inputs, Program, Step, refused_alike, run


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


PROGRAMS = [
    Program(
        "AdjustContrast",
        _contrast,
        ("float32", "float64", "uint8", "int8", "int16", "int32"),
        rtol=1e-4,
        atol=1e-4,
    )
]
