"""What functions of images ask of their arguments: while building where that is known, else when
they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.assertion import Assert
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_equal, assert_greater_equal, assert_positive
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.variables.base import BaseVariable


def is_tensor(value: Any) -> bool:
    """Whether a value is known only when the graph runs."""
    return isinstance(value, (Tensor, BaseVariable))


def required(condition: Any, message: str, error: type[Exception] = ValueError) -> list[Any]:
    """Operations that fail unless a condition holds; none if it is known to.

    Raises:
      error: It is known not to.
    """
    if is_tensor(condition):
        return [Assert(condition, [message])]
    if not condition:
        raise error(message)
    return []


def dimensions(image: Any, rank: int) -> Sequence[Any]:
    """The sizes of an image of that rank: numbers where they are known, else tensors."""
    if image.shape.is_fully_defined():
        known: list[Any] = image.shape.as_list()
        return known
    static = image.shape.with_rank(rank).as_list()
    dynamic = array_concat.unstack(array_shape.shape(image), rank)
    return [d if s is None else s for s, d in zip(static, dynamic, strict=True)]


def image_checks(image: Any) -> list[Any]:
    """Operations that fail unless a tensor holds one image or several, none of them empty.

    Raises:
      ValueError: It is known not to.
    """
    try:
        shape = image.shape
        shape = shape.with_rank(3) if shape.ndims is None else shape.with_rank_at_least(3)
    except ValueError:
        raise ValueError("'image' must be at least three-dimensional.") from None
    inner = shape[-3:]
    if any(size == 0 for size in inner.as_list()):
        raise ValueError(f"all dims of 'image.shape' must be > 0: {shape}")
    if inner.is_fully_defined():
        return []
    sizes: Any = array_shape.shape(image)
    return [
        assert_positive(sizes[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
        assert_greater_equal(
            array_shape.rank(image), 3, message="'image' must be at least three-dimensional."
        ),
    ]


def checked_image(image: Any) -> Any:
    """The image, which is looked at before anyone works with it; see `image_checks`."""
    return with_dependencies(image_checks(image), image)


def checked_gray_image(image: Any) -> Any:
    """The image, of which is seen to that its last dimension is 1.

    Raises:
      ValueError: It is known not to be.
    """
    try:
        shape = image.shape
        shape = shape.with_rank(2) if shape.ndims is None else shape.with_rank_at_least(2)
    except ValueError:
        raise ValueError("A grayscale image must be at least two-dimensional.") from None
    refusal = "Last dimension of a grayscale image should be size 1."
    if shape.is_fully_defined():
        if shape.as_list()[-1] != 1:
            raise ValueError(refusal)
        return with_dependencies([], image)
    sizes: Any = array_shape.shape(image)
    checks = [
        assert_equal(sizes[-1], 1, message=refusal),
        assert_greater_equal(
            array_shape.rank(image),
            3,
            message="A grayscale image must be at least two-dimensional.",
        ),
    ]
    return with_dependencies(checks, image)


def as_batch(image: Any) -> tuple[Any, bool]:
    """An image as one of a batch, or a batch, and which of them it was.

    Raises:
      ValueError: It is neither.
    """
    image = convert_to_tensor(image, name="image")
    shape = image.shape
    if shape.ndims == 4:
        return image, True
    if shape.ndims is None:
        batch = array_shape.expand_dims(image, 0)
        batch.set_shape([None] * 4)
        return batch, False
    if shape.ndims == 3:
        return array_shape.expand_dims(image, 0), False
    raise ValueError("'image' must have either 3 or 4 dimensions.")


def alone(image: Any, is_batch: bool) -> Tensor:
    """What `as_batch` made a batch of is one image again."""
    result: Tensor = image if is_batch else array_shape.squeeze(image, axis=[0])
    return result
