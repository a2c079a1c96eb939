"""Images and sounds as the files that show them, in strings."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank
from dataflow.library.check_values import assert_non_negative
from dataflow.library.images.conversion import convert_image_dtype
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.ops.image.files import encode_png
from dataflow.ops.signal.sound import encode_wav
from dataflow.ops.text.numbers import as_string
from dataflow.values import dtypes


def pictures(data: Any, most: Any) -> Tensor:
    """The width, the height and the first images, as PNG.

    Args:
      data: Shape (images, height, width, channels); numbers that are not bytes are scaled to them.
      most: Most images to take.
    """
    assert_rank(data, 4)
    assert_non_negative(most)
    images = convert_image_dtype(data, dtypes.uint8, saturate=True)
    files = encode_png(images[:most])
    shape = array_shape.shape(images)
    sizes = [as_string(shape[2], name="width"), as_string(shape[1], name="height")]
    return concat([stack(sizes, name="dimensions"), files], 0)


def clips(data: Any, rate: Any, most: Any) -> Tensor:
    """The first sounds, as WAV, each with a label that is empty.

    Args:
      data: float32 between -1 and 1, of the shape (clips, frames, channels).
      rate: Frames a second.
      most: Most sounds to take.
    """
    assert_rank(data, 3)
    assert_non_negative(most)
    taken = data[:most]
    files = map_fn(
        lambda sound: encode_wav(sound, rate), taken, dtypes.string, name="encode_each_audio"
    )
    some = array_shape.shape(files)[0] > 0
    files = cond(some, lambda: files, lambda: constant([], dtypes.string))
    labels = tile([""], array_shape.shape(taken)[:1])
    return transpose(stack([files, labels]))
