"""Hue, saturation and value of images, changed in YIQ space."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.conversion import convert_image_dtype
from dataflow.ops.image import yiq
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes


def adjust_hsv_in_yiq(
    image: Any,
    delta_hue: Any = 0,
    scale_saturation: Any = 1,
    scale_value: Any = 1,
    name: str | None = None,
) -> Tensor:
    """RGB images whose hues turn around Y, and whose colors get stronger and brighter.

    Args:
      image: Shape (..., height, width, 3); integers are scaled to [0, 1] and back.
      delta_hue: How far hues turn, in radians; a scalar, as the next two.
      scale_saturation: What I and Q are multiplied by.
      scale_value: What Y, I and Q are multiplied by.
      name: Name of the scope.

    Returns:
      Images of the same shape and type.

    Raises:
      ValueError: The image has fewer than three dimensions.
      InvalidArgumentError: When it runs: the last dimension is not 3, or a number is no scalar.
    """
    with name_scope(name, "adjust_hsv_in_yiq", [image]):
        given = convert_to_tensor(image, name="image")
        changed = yiq.adjust_hsv_in_yiq(
            convert_image_dtype(given, dtypes.float32), delta_hue, scale_saturation, scale_value
        )
        return convert_image_dtype(changed, given.dtype)


def random_hsv_in_yiq(
    image: Any,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: int | None = None,
) -> Tensor:
    """`adjust_hsv_in_yiq` by numbers that each step draws.

    Args:
      image: Shape (..., height, width, 3).
      max_delta_hue: Hues turn by a number from [-max_delta_hue, max_delta_hue); not if it is 0.
      lower_saturation: The least factor for saturation.
      upper_saturation: The bound of that factor; nothing is drawn if both are equal.
      lower_value: The least factor for the value.
      upper_value: The bound of that factor; nothing is drawn if both are equal.
      seed: Seed of what is drawn.

    Returns:
      Images of the same shape and type.

    Raises:
      ValueError: A bound is negative, or a lower one above the upper one.
    """
    if max_delta_hue < 0:
        raise ValueError("max_delta must be non-negative.")
    for kind, lower in (("saturation", lower_saturation), ("value", lower_value)):
        if lower < 0:
            raise ValueError(f"lower_{kind} must be non-negative.")
    bounds = {
        "saturation": (lower_saturation, upper_saturation),
        "value": (lower_value, upper_value),
    }
    for kind, (lower, upper) in bounds.items():
        if lower > upper:
            raise ValueError(f"lower_{kind} must be < upper_{kind}.")
    turn: Any = 0
    if max_delta_hue != 0:
        turn = random_uniform([], -max_delta_hue, max_delta_hue, seed=seed)
    saturation, value = (
        lower if lower == upper else random_uniform([], lower, upper, seed=seed)
        for lower, upper in bounds.values()
    )
    return adjust_hsv_in_yiq(image, turn, saturation, value)
