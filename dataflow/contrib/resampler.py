"""tf.contrib.resampler: images at places between their pixels."""

from __future__ import annotations

from typing import Any as _Any

from dataflow.graph.convert import convert_to_tensor as _convert_to_tensor
from dataflow.graph.scopes import name_scope as _name_scope
from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.ops.array.concat import concat as _concat
from dataflow.ops.array.gather import gather as _gather
from dataflow.ops.array.shape import expand_dims as _expand_dims
from dataflow.ops.array.shape import reshape as _reshape
from dataflow.ops.array.shape import shape as _shape
from dataflow.ops.basic.cast import cast as _cast
from dataflow.ops.basic.range import range as _range
from dataflow.ops.math.binary import maximum as _maximum
from dataflow.ops.math.binary import minimum as _minimum
from dataflow.ops.math.compare import equal as _equal
from dataflow.ops.math.rounding import floor as _floor
from dataflow.values import dtypes as _dtypes


def resampler(data: _Any, warp: _Any, name: str = "resampler") -> _Tensor:
    """Values between pixels, interpolated linearly; outside of the image it is zero.

    Args:
      data: Floats [batch, height, width, channels].
      warp: Floats [batch, ..., 2]: column and row of each place.
      name: The name scope.

    Returns:
      Floats [batch, ..., channels], with gradients for both arguments.

    Raises:
      ValueError: `data` has another rank, or the last axis of `warp` another size.
    """
    with _name_scope(name, "resampler", [data, warp]):
        data = _convert_to_tensor(data, name="data")
        warp = _convert_to_tensor(warp, name="warp")
        data.shape.assert_has_rank(4)
        warp.shape[-1:].assert_is_compatible_with([2])
        batch, height, width, channels = (_shape(data)[each] for each in range(4))
        places = _reshape(warp, [batch, -1, 2])
        pixels = _reshape(data, [batch * height * width, channels])
        starts = _expand_dims(_range(batch) * height * width, 1)
        corner = _floor(places)
        rest = places - corner
        found: _Any = 0
        for down in (0, 1):
            for right in (0, 1):
                row, column = corner[..., 1] + down, corner[..., 0] + right
                is_there: _Any = True
                at: _Any = starts
                for place, size, stride in ((row, height, width), (column, width, 1)):
                    inside = _maximum(_minimum(place, _cast(size - 1, place.dtype)), 0)
                    is_there &= _equal(inside, place)
                    at += _cast(inside, _dtypes.int32) * stride
                share = (rest[..., 1] if down else 1 - rest[..., 1]) * (
                    rest[..., 0] if right else 1 - rest[..., 0]
                )
                share *= _cast(is_there, share.dtype)
                found += _expand_dims(share, -1) * _gather(pixels, at)
        result = _reshape(found, _concat([_shape(warp)[:-1], [channels]], 0))
        result.set_shape(warp.shape[:-1].concatenate(data.shape[-1:]))
        return result
