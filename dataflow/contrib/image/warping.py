"""Images whose pixels are moved each by a vector of its own."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.gather import gather
from dataflow.ops.array.repeat import meshgrid
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.rounding import floor
from dataflow.values import dtypes


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Tensor:
    """An image each of whose pixels is what stood somewhere else: at its place less the flow there.

    Between pixels their values are interpolated linearly; outside of the image those of its border
    stand.

    Args:
      image: Floats [batch, height, width, channels], of at least 2 rows and columns.
      flow: Floats [batch, height, width, 2]: how many rows and columns.
      name: The name scope.

    Returns:
      Of the shape and type of `image`.

    Raises:
      ValueError: One of them has another rank.
    """
    with name_scope(name):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        image.shape.assert_has_rank(4)
        flow.shape.assert_has_rank(4)
        batch, height, width, channels = (shape(image)[each] for each in range(4))
        columns, rows = meshgrid(range_of(width), range_of(height))
        places = expand_dims(cast(stack([rows, columns], axis=2), flow.dtype), 0) - flow
        points = reshape(places, [batch, height * width, 2])
        pixels = reshape(image, [batch * height * width, channels])
        starts = reshape(range_of(batch) * height * width, [batch, 1])
        (above, down), (before, along) = (
            _between(points[:, :, axis], size, image.dtype)
            for axis, size in enumerate((height, width))
        )

        def at(row: Any, column: Any) -> Any:
            return gather(pixels, starts + row * width + column)

        over = at(above, before) + along * (at(above, before + 1) - at(above, before))
        under = at(above + 1, before) + along * (at(above + 1, before + 1) - at(above + 1, before))
        warped = reshape(over + down * (under - over), shape(image))
        warped.set_shape(image.shape)
        return warped


def _between(places: Tensor, size: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """The element before each place, of those with one behind it; and how far it is, up to 1."""
    last = cast(size - 2, places.dtype)
    element = minimum(maximum(floor(places), 0.0), last)
    share = minimum(maximum(cast(places - element, dtype), 0.0), 1.0)
    return cast(element, dtypes.int32), expand_dims(share, 2)
