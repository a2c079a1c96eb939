"""Rows for images as PNG files; large ones depend on the version of zlib, and are read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.image.image_files import PIXELS
from tests.ops.program import Inputs, Program, Step, fails, run


def _read_again(tf: Any, v: Inputs) -> Iterator[Step]:
    for channels in (1, 2, 3, 4):
        image = np.concatenate((PIXELS, PIXELS[..., :1] // 3), -1)[..., :channels]
        values = image.astype(v.dtype) * np.array(1 if v.name == "uint8" else 201, v.dtype)
        for level in (-1, 0, 9):
            file = tf.raw_ops.EncodePng(image=v.known(values), compression=level)
            yield run(tf.raw_ops.DecodePng(contents=file, dtype=v.element))


def _several(tf: Any, v: Inputs) -> Iterator[Step]:
    images = np.stack([PIXELS[:8], PIXELS[8:16], PIXELS[1:9], PIXELS[2:10]]).astype(v.dtype)
    files = tf.raw_ops.EncodePng(image=v.known(images.reshape(2, 2, *images.shape[1:])))
    for row in (0, 1):
        for column in (0, 1):
            yield run(tf.raw_ops.DecodePng(contents=files[row, column], dtype=v.element))
    yield run(tf.shape(tf.raw_ops.EncodePng(image=v.known(images[:0]))))


def _refusals(tf: Any, v: Inputs) -> Iterator[Step]:
    for text, image in (
        ("images must be at least rank 3", PIXELS[0]),
        ("must have 1, 2, 3, or 4 channels, got 5", np.zeros((2, 2, 5), np.uint8)),
    ):
        refused = tf.raw_ops.EncodePng(image=v.hidden(image))
        yield fails("InvalidArgumentError", text, refused)
    level = tf.raw_ops.EncodePng(image=v.known(PIXELS), compression=10)
    yield fails("InvalidArgumentError", r"compression should be in \[-1,9\], got 10", level)


PROGRAMS = [
    Program("EncodePng DecodePng", _read_again, ("uint8", "uint16")),
    Program("EncodePng DecodePng", _several, ("uint8",)),
    Program("EncodePng", _refusals, ("uint8",)),
]
