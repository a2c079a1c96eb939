"""Functions that repeat entries, composed of other ops: repeat and meshgrid."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.index as array_index
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def meshgrid(
    *args: Any, indexing: str = "xy", name: str | None = "meshgrid", **kwargs: Any
) -> list[Tensor]:
    """For vectors of coordinates, the coordinates of every point of the grid they span.

    Args:
      *args: The vectors.
      indexing: "xy": the first two dimensions are swapped, as for plotting, or "ij".
      name: Name of the scope of the operations.
      **kwargs: None are taken.

    Returns:
      A tensor for each vector; all have one dimension for each vector.

    Raises:
      TypeError: There are other keyword arguments.
      ValueError: `indexing` is something else.
    """
    for key in kwargs:
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", args):
        count = len(args)
        if not count:
            return []
        axes = []
        for i, vector in enumerate(args):
            shape = (1,) * i + (-1,) + (1,) * (count - i - 1)
            axes.append(array_shape.reshape(array_concat.stack(vector), shape))
        sizes = [array_shape.size(vector) for vector in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and count > 1:
            axes[0] = array_shape.reshape(axes[0], (1, -1) + (1,) * (count - 2))
            axes[1] = array_shape.reshape(axes[1], (-1, 1) + (1,) * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        everywhere = array_fill.ones(sizes, dtype)
        return [axis * everywhere for axis in axes]


def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = dtypes.int32) -> Tensor:
    """Converts to an integer tensor, of type `dtype` if that is not None.

    Raises:
      TypeError: The value is not of integers.
    """
    tensor = convert_to_tensor(tensor, name=name, preferred_dtype=dtype or dtypes.int32)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor} of dtype: {tensor.dtype}"
        )
    return tensor if dtype is None else single("Cast", tensor, DstT=dtype)


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each entry along a dimension as often as asked.

    Args:
      input: Any tensor.
      repeats: How often: one integer for all entries, or a vector with one for each.
      axis: The dimension; the flattened tensor's if None.
      name: Name of the scope of the operations.

    Raises:
      TypeError: `axis` is no integer.
      ValueError: `axis` is out of range, or `repeats` known not to fit.
    """
    if axis is None:
        input = array_shape.reshape(input, [-1])
        axis = 0
    if not isinstance(axis, int):
        raise TypeError(
            f"Argument `axis` must be an int. Received `axis` = {axis} of type "
            f"{type(axis).__name__}"
        )
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        repeats = convert_to_int_tensor(repeats, name="repeats")
        repeats.shape.with_rank_at_most(1)
        data = _with_a_dimension(data)
        shape: Any = array_shape.shape(data, out_type=repeats.dtype)
        axis = _from_front(axis, data.shape.rank)
        if repeats.shape.num_elements() == 1:
            return _repeat_all(data, array_shape.reshape(repeats, []), axis, shape)
        if repeats.shape.rank == 1 and data.shape.rank is not None:
            data.shape[axis].assert_is_compatible_with(repeats.shape[0])
        each = array_broadcast.broadcast_to(repeats, [shape[axis]])
        return _repeat_each(data, each, axis, shape)


def _repeat_all(data: Tensor, count: Any, axis: int, shape: Any) -> Tensor:
    tiled = _tiled(array_shape.expand_dims(data, axis + 1), axis + 1, count)
    sizes = [shape[:axis], [count * shape[axis]], shape[axis + 1 :]]
    return array_shape.reshape(tiled, array_concat.concat(sizes, axis=0))


def _repeat_each(data: Tensor, repeats: Tensor, axis: int, shape: Any) -> Tensor:
    """Repeats every entry as often as the one repeated most, then masks the surplus out."""
    spread = repeats
    if repeats.shape.rank != axis + 1:
        repeats_shape = array_shape.shape(repeats)
        repeats_rank = array_shape.rank(repeats)
        outer = shape[: axis + 1 - repeats_rank]
        spread = array_broadcast.broadcast_to(
            repeats, array_concat.concat([outer, repeats_shape], axis=0)
        )
        spread.set_shape([None] * (axis + 1))
    most = single("Max", spread, array_select.all_axes(spread), keep_dims=False)
    zero = convert_to_tensor(0, name="zero", dtype=most.dtype)
    most = single("Maximum", zero, most)
    mask = array_select.sequence_mask(spread, most)
    tiled = _tiled(array_shape.expand_dims(data, axis + 1), axis + 1, most)
    result = array_index.boolean_mask(tiled, mask)
    if axis:
        axes = single("Range", 0, array_shape.rank(repeats), 1)
        total = single("Sum", repeats, axes, keep_dims=False)
        sizes = [shape[:axis], [total], shape[axis + 1 :]]
        result = array_shape.reshape(result, array_concat.concat(sizes, axis=0))
    if data.shape.rank is not None:
        size = 0 if spread.shape.dims_tuple and spread.shape.dims_tuple[0] == 0 else None
        static = data.shape[:axis].concatenate([size])
        result.set_shape(static.concatenate(data.shape[axis + 1 :]))
    return result


def _tiled(data: Tensor, axis: int, count: Any) -> Tensor:
    rank = data.shape.rank
    multiples: Any
    if rank is not None:
        multiples = [1] * rank
        multiples[axis] = count
    else:
        ones: Any = array_fill.ones(array_shape.rank(data), dtypes.int32)
        multiples = array_concat.concat([ones[:axis], [count], ones[axis + 1 :]], axis=0)
    return array_broadcast.tile(data, multiples)


def _with_a_dimension(data: Tensor) -> Tensor:
    """The tensor, a scalar as a vector."""
    if data.shape.rank == 0:
        return array_concat.stack([data])
    if data.shape.rank is not None:
        return data
    shape, count = array_shape.shape(data), array_shape.rank(data)
    sizes: Any = array_concat.concat([[1], shape], axis=0)
    return array_shape.reshape(data, sizes[-count:])


def _from_front(axis: int, rank: int | None) -> int:
    if rank is not None:
        if not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        return axis % rank
    if axis < 0:
        raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
    return axis
