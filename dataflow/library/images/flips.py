"""Images turned round: mirrored, turned by quarters, rows and columns swapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.rounding as math_rounding
from dataflow.control_flow.case import case
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.checks import checked_image
from dataflow.ops.basic.cast import cast
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes

Make = Callable[[], Any]


def flip_left_right(image: Any) -> Tensor:
    """An image mirrored: its columns in the opposite order.

    Args:
      image: `[height, width, channels]`, or a batch of them.

    Raises:
      ValueError: It has another rank.
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """An image upside down: its rows in the opposite order.

    Args:
      image: `[height, width, channels]`, or a batch of them.

    Raises:
      ValueError: It has another rank.
    """
    return _flip(image, 0, "flip_up_down")


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """An image, mirrored with a chance of one half; each one of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: It has another rank.
    """
    return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """An image, upside down with a chance of one half; each one of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      seed: Op-level seed; see `set_random_seed`.

    Raises:
      ValueError: It has another rank.
    """
    return _random_flip(image, 0, seed, "random_flip_up_down")


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """An image turned by quarters, against the clock.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      k: How many quarters, a scalar.
      name: Name scope of the operations.

    Raises:
      ValueError: The image has another rank, or `k` is no scalar.
    """
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtype=dtypes.int32, name="k")
        k.shape.assert_has_rank(0)
        k = k % 4
        return _by_rank(
            image, lambda: _turned(image, k, scope, 0), lambda: _turned(image, k, scope, 1)
        )


def transpose(image: Any, name: str | None = None) -> Tensor:
    """An image whose rows are the columns of another one.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      name: Name of the operation.

    Raises:
      ValueError: It has another rank.
    """
    with name_scope(name, "transpose", [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        return _by_rank(
            image,
            lambda: array_transpose.transpose(image, [1, 0, 2], name=name),
            lambda: array_transpose.transpose(image, [0, 2, 1, 3], name=name),
        )


transpose_image = transpose


def _by_rank(image: Any, of_one: Make, of_batch: Make) -> Tensor:
    made: Tensor
    rank = image.shape.ndims
    if rank is None:
        is_one = math_compare.equal(array_shape.rank(image), 3)
        made = cond(is_one, of_one, of_batch)
    elif rank == 3:
        made = of_one()
    elif rank == 4:
        made = of_batch()
    else:
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    return made


def _flip(image: Any, axis: int, scope_name: str) -> Tensor:
    with name_scope(None, scope_name, [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        return _by_rank(
            image,
            lambda: _shaped_like(image, array_transpose.reverse(image, [axis])),
            lambda: array_transpose.reverse(image, [axis + 1]),
        )


def _shaped_like(image: Any, result: Any) -> Any:
    result.set_shape([None] * 3 if image.shape.ndims is None else image.shape)
    return result


def _random_flip(image: Any, axis: int, seed: int | None, scope_name: str) -> Tensor:
    with name_scope(None, scope_name, [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))

        def of_one() -> Any:
            drawn = random_uniform(shape=[], minval=0, maxval=1.0, seed=seed)
            result = cond(
                math_compare.less(drawn, 0.5),
                lambda: array_transpose.reverse(image, [axis]),
                lambda: image,
                name=scope,
            )
            return _shaped_like(image, result)

        def of_batch() -> Any:
            sizes: Any = array_shape.shape(image)
            count = sizes[0]
            drawn = random_uniform(shape=[count], minval=0, maxval=1.0, seed=seed)
            flips: Any = math_rounding.round(array_shape.reshape(drawn, [count, 1, 1, 1]))
            flips = cast(flips, image.dtype)
            flipped = array_transpose.reverse(image, [axis + 1])
            return flips * flipped + (1 - flips) * image

        return _by_rank(image, of_one, of_batch)


def _turned(image: Any, k: Any, scope: str, first: int) -> Any:
    """The cases of quarters; rows are the dimension `first`."""
    swapped = [1, 0, 2] if first == 0 else [0, 2, 1, 3]

    def once() -> Any:
        return array_transpose.transpose(array_transpose.reverse(image, [first + 1]), swapped)

    def twice() -> Any:
        return array_transpose.reverse(image, [first, first + 1])

    def thrice() -> Any:
        return array_transpose.reverse(array_transpose.transpose(image, swapped), [first + 1])

    cases = [
        (math_compare.equal(k, quarters), turn)
        for quarters, turn in ((1, once), (2, twice), (3, thrice))
    ]
    result: Any = case(cases, default=lambda: image, exclusive=True, name=scope)
    if first == 0:
        result.set_shape([None, None, image.shape[2]])
    else:
        sizes = result.shape
        result.set_shape([sizes[0], None, None, sizes[3]])
    return result
