"""Names of `tensorflow.python.ops.image_ops` that tf.image has for others, or does not have."""

from __future__ import annotations

from typing import Any

import dataflow.library.images.checks as _checks
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_positive
from dataflow.library.images.resizing import ResizeMethod as ResizeMethodV1
from dataflow.library.images.similarity import (
    verify_compatible_image_shapes as _verify_compatible_image_shapes,
)
from dataflow.ops.array.shape import shape as _shape
from dataflow.ops.basic.grouping import with_dependencies as _after
from dataflow.ops.image.boxes import (
    non_max_suppression_overlaps as non_max_suppression_with_overlaps,
)
from dataflow.porting.v2.image import ResizeMethod

__all__ = [
    "ResizeMethod",
    "ResizeMethodV1",
    "_verify_compatible_image_shapes",
    "non_max_suppression_with_overlaps",
]

_AssertAtLeast3DImage = _checks.checked_image
_ImageDimensions = _checks.dimensions
_is_tensor = _checks.is_tensor


def _assert(cond: Any, ex_type: type[Exception], msg: str) -> list[Any]:
    """Operations that fail unless `cond` holds; none if it is known to."""
    return _checks.required(cond, msg, ex_type)


def _CheckAtLeast3DImage(image: Any, require_static: bool = True) -> list[Any]:
    """Operations that fail unless a tensor holds one image or several.

    Raises:
      ValueError: It is known not to, or its shape is to be known and is not.
    """
    checks = _checks.image_checks(image)
    if require_static and not image.shape.is_fully_defined():
        raise ValueError("'image' must be fully defined.")
    return checks


def _Check3DImage(image: Any, require_static: bool = True) -> list[Any]:
    """Operations that fail unless a tensor is an image that is not empty.

    Raises:
      ValueError: It is known not to be, or its shape is to be known and is not.
    """
    try:
        known = image.shape.with_rank(3)
    except ValueError:
        raise ValueError(f"'image' (shape {image.shape}) must be three-dimensional.") from None
    if require_static and not known.is_fully_defined():
        raise ValueError(f"'image' (shape {known}) must be fully defined.")
    if any(size == 0 for size in known.as_list()):
        raise ValueError(f"all dims of 'image.shape' must be > 0: {known}")
    if known.is_fully_defined():
        return []
    return [assert_positive(_shape(image), ["all dims of 'image.shape' must be > 0."])]


def _Assert3DImage(image: Any) -> Any:
    """The image, which is looked at before anyone works with it; see `_Check3DImage`."""
    return _after(_Check3DImage(image, require_static=False), image)


def fix_image_flip_shape(image: Tensor, result: Tensor) -> Tensor:
    """A flipped image, of which is known what is known of the image."""
    known = image.shape
    result.set_shape([None, None, None] if known.rank is None else known)
    return result
