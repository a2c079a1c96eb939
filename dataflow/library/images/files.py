"""Files of images of any kind."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.compare as math_compare
import dataflow.ops.text.characters as text_characters
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.conversion import convert_image_dtype
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

_DECODED = (dtypes.float32, dtypes.uint8, dtypes.uint16)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether strings begin as JPEG files do.

    Args:
      contents: Files.
      name: Name scope of the operations.

    Returns:
      bool.
    """
    with name_scope(name, "is_jpeg"):
        start = text_characters.substr(contents, 0, 3)
        return math_compare.equal(start, b"\xff\xd8\xff", name=name)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The image in a JPEG, PNG, BMP or GIF file.

    Args:
      contents: The file, a scalar string.
      channels: 1, 3 or 4, or 0 for those of the file.
      dtype: The type of the result, scaled to its range.
      name: Name scope of the operations.
      expand_animations: A GIF file gives all of its frames, `[frames, height, width, 3]`, else the
        first one.

    Returns:
      `[height, width, channels]`.

    Raises:
      ValueError: The channels are others.
    """
    if channels not in (None, 0, 1, 3, 4):
        raise ValueError("channels must be in (None, 0, 1, 3, 4)")
    with name_scope(name, "decode_image"):
        wanted = dtypes.as_dtype(dtype)
        decoded = wanted if wanted in _DECODED else dtypes.uint16
        image: Tensor = single(
            "DecodeImage",
            contents,
            channels=channels or 0,
            expand_animations=expand_animations,
            dtype=decoded,
        )
        if decoded != wanted:
            image = convert_image_dtype(image, wanted)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image
