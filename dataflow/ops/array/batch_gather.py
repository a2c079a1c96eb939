"""Gathering in which first dimensions go in step, composed of ops that know no such dimensions."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.repeat as array_repeat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def gather_in_step(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Gathers along dimension `batch_dims`, by indices into the flattened first dimensions.

    Raises:
      ValueError: `batch_dims` is not below both ranks.
    """
    rank = indices.shape.rank or 0
    if not 0 <= batch_dims < rank:
        raise ValueError(f"batch_dims = {batch_dims} must be less than rank(indices) = {rank}")
    if params.shape.rank is not None and batch_dims >= params.shape.rank:
        raise ValueError(
            f"batch_dims = {batch_dims} must be less than rank(params) = {params.shape.rank}"
        )
    indices_shape: Any = array_shape.shape(indices)
    params_shape: Any = array_shape.shape(params)
    flat_indices = array_shape.reshape(_flat_indices(params_shape, indices, batch_dims, rank), [-1])
    outer = params_shape[batch_dims + 1 :]
    rows = single("Prod", params_shape[: batch_dims + 1], [0], keep_dims=False)
    flat_params = array_shape.reshape(params, array_concat.concat([[rows], outer], axis=0))
    found = single("GatherV2", flat_params, flat_indices, 0)
    result = array_shape.reshape(found, array_concat.concat([indices_shape, outer], axis=0))
    static = indices.shape[:batch_dims].merge_with(params.shape[:batch_dims])
    static = static.concatenate(indices.shape[batch_dims:])
    result.set_shape(static.concatenate(params.shape[batch_dims + 1 :]))
    return result


def _flat_indices(params_shape: Any, indices: Tensor, batch_dims: int, rank: int) -> Any:
    """The indices plus what entries of the flattened first dimensions lie before their batch."""
    dtype = indices.dtype.base_dtype
    flat: Any = indices
    stride: Any = array_fill.ones((), dtype=dtype)
    sizes: Any = single("Cast", params_shape, DstT=dtype)
    for dim in range(batch_dims, 0, -1):
        size = sizes[dim - 1]
        stride *= sizes[dim]
        start, step = array_fill.zeros((), dtype=dtype), array_fill.ones((), dtype=dtype)
        offsets: Any = single("Range", start, size, step)
        offsets *= stride
        shape = array_concat.stack([1] * (dim - 1) + [size] + [1] * (rank - dim), axis=0)
        flat += array_shape.reshape(offsets, shape)
    return flat


def gather_nd_in_step(
    params: Any, indices: Any, batch_dims: Any, name: str | None, bad_indices_policy: str
) -> Tensor:
    """gather_nd whose first dimensions go in step, by adding their positions to the indices.

    Raises:
      TypeError: `batch_dims` is no integer.
      ValueError: `batch_dims` is negative or not below both ranks.
    """
    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        _check_batch_dims(batch_dims, params, indices)
        params_shape: Any = array_shape.shape(params)
        indices_shape: Any = array_shape.shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = single("Prod", batch_shape, [0], keep_dims=False)
        rank: Any = array_shape.rank(indices)
        inner_rank = rank - batch_dims - 1
        inner_shape = indices_shape[batch_dims:-1]
        positions = _positions(batch_shape, indices.dtype)
        grid_shape: Any = array_shape.shape(positions)
        spread = array_concat.concat(
            [
                grid_shape[:1],
                array_fill.ones(inner_rank, dtype=grid_shape.dtype),
                grid_shape[1:],
            ],
            axis=0,
        )
        grid = array_broadcast.tile(
            array_shape.reshape(positions, spread),
            array_concat.concat(((1,), inner_shape, (1,)), axis=0),
        )
        flat_shape = array_concat.concat(([batch_size], indices_shape[batch_dims:]), axis=0)
        flat = array_shape.reshape(indices, flat_shape)
        found = single(
            "GatherNd",
            params,
            array_concat.concat((grid, flat), axis=-1),
            bad_indices_policy=bad_indices_policy,
        )
        found_shape: Any = array_shape.shape(found)
        return array_shape.reshape(
            found, array_concat.concat((batch_shape, found_shape[1:]), axis=0)
        )


def _check_batch_dims(batch_dims: Any, params: Tensor, indices: Tensor) -> None:
    if not isinstance(batch_dims, int):
        raise TypeError(f"batch_dims must be an int; got {batch_dims}")
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    for text, rank in (("indices", indices.shape.rank), ("params", params.shape.rank)):
        if rank is not None and batch_dims >= rank:
            raise ValueError(f"batch_dims = {batch_dims} must be less than rank({text}) = {rank}")


def _positions(batch_shape: Tensor, dtype: Any) -> Tensor:
    """The positions in a batch, one a row, in order."""
    ranges = []
    for size in array_concat.unstack(batch_shape, axis=0):
        whole = single("Range", 0, single("Cast", size, DstT=dtypes.int32), 1)
        ranges.append(single("Cast", whole, DstT=dtype))
    mesh = array_repeat.meshgrid(*ranges, indexing="ij")
    columns = [array_shape.reshape(axis, shape=(-1,)) for axis in mesh]
    return array_transpose.transpose(array_concat.stack(columns, axis=0))
