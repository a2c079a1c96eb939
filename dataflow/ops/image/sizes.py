"""Static shapes of images whose size an input says."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import Size, with_size
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

REAL = "{int8, uint8, int16, uint16, int32, int64, half, float32, float64, bfloat16}"
"""Element types of images that can be resized."""


def size_input(c: InferenceContext, index: int) -> tuple[Size, Size]:
    """An input that holds a height and a width, as far as they are known.

    Raises:
      ValueError: It is no vector of two elements.
    """
    dims = with_rank(c.input(index), 1).dims_tuple or (None,)
    with_size(dims[0], 2)
    known = c.constant(index)
    if known is None:
        return None, None
    height, width = (int(each) for each in known)
    return _size(height), _size(width)


def _size(value: int) -> Size:
    if value < -1:
        raise ValueError(f"Dimension {value} must be >= 0")
    return None if value == -1 else value


def resized(c: InferenceContext) -> TensorShape:
    """Images in the size that the second input says."""
    batch, _, _, channels = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    height, width = size_input(c, 1)
    return TensorShape.of((batch, height, width, channels))
