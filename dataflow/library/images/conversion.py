"""Images in another element type, scaled to its range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.basic.identity as basic_identity
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.division as math_division
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast, saturate_cast
from dataflow.values import dtypes


@unary
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """An image in another type: floats reach from 0 to 1, integers from 0 to their greatest value.

    Args:
      image: An image of any shape.
      dtype: The new type.
      saturate: What is too large becomes the greatest value, and does not wrap around.
      name: Name of the operation.

    Raises:
      AttributeError: One of the types is neither of integers nor of floats.
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if not (image.dtype.is_floating or image.dtype.is_integer):
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == image.dtype:
        same: Tensor = basic_identity.identity(image, name=name)
        return same
    with name_scope(name, "convert_image", [image]) as scope:
        result: Tensor = _scaled(image, dtype, saturate_cast if saturate else cast, scope)
        return result


def _scaled(image: Any, dtype: Any, convert: Callable[..., Any], scope: str) -> Any:
    if image.dtype.is_integer and dtype.is_integer:
        greatest, wanted = image.dtype.max, dtype.max
        if greatest > wanted:
            fewer = math_division.floordiv(image, (greatest + 1) // (wanted + 1))
            return convert(fewer, dtype, name=scope)
        wide = convert(image, dtype)
        return math_binary.multiply(wide, (wanted + 1) // (greatest + 1), name=scope)
    if image.dtype.is_floating and dtype.is_floating:
        return cast(image, dtype, name=scope)
    if image.dtype.is_integer:
        scale = 1.0 / image.dtype.max
        return math_binary.multiply(cast(image, dtype), scale, name=scope)
    # Half a step more, so that each value has an equal share of the range.
    return convert(math_binary.multiply(image, dtype.max + 0.5), dtype, name=scope)


def as_floats(image: Any) -> Any:
    """The image as floats, with which colors are computed."""
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image
    return convert_image_dtype(image, dtypes.float32)
