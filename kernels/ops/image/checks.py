"""What kernels of images ask of their inputs, with TensorFlow's words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text

_MOST: Final = 1 << 40
"""Bytes of a result: more is a mistake, and asking for it may end the process."""


def check_images(images: Any, what: str = "input") -> None:
    """Refuses what is no batch of images.

    Raises:
      InvalidArgumentError: It has not four dimensions.
    """
    if images.ndim != 4:
        raise invalid(f"{what} must be 4-dimensional{shape_text(images.shape)}")


def new_size(images: Any, size: Any) -> tuple[int, int]:
    """The height and width to which images are resized.

    Raises:
      InvalidArgumentError: These are no images, or no such size.
    """
    check_images(images)
    height, width = vector_of_two(size, "shape_t")
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if images.shape[3] <= 0:
        raise invalid("image must have at least one channel")
    if images.shape[1] <= 0 or images.shape[2] <= 0:
        raise invalid("input image must be of non-zero size")
    check_bytes((images.shape[0], height, width, images.shape[3]), 4)
    return height, width


def vector_of_two(value: Any, name: str) -> tuple[int, int]:
    """Two integers.

    Raises:
      InvalidArgumentError: It is no vector of two elements.
    """
    if np.ndim(value) != 1:
        raise invalid(f"{name} must be 1-dimensional{shape_text(np.shape(value))}")
    if len(value) != 2:
        raise invalid(f"{name} must have two elements{shape_text(np.shape(value))}")
    return int(value[0]), int(value[1])


def check_bytes(shape: Sequence[int], element: int) -> None:
    """Refuses a result that no machine could hold.

    Raises:
      ResourceExhaustedError: It is one.
    """
    if math.prod(shape) * element > _MOST:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating tensor with shape{shape_text(shape)}"
        )
