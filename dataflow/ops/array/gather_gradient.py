"""The gradients of gathering: slices where they are sparse, else sums into place."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
from dataflow.graph import constant_value as constants
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import dense
from dataflow.ops.basic.single import single


def gather_gradient(op: Operation, grad: Any) -> Any:
    """The gradients of Gather: slices."""
    params, indices = op.inputs
    with colocate_with(params):
        params_shape: Any = array_shape.shape(params)
    return [_slices(grad, indices, params_shape), None]


def gather_v2_gradient(op: Operation, grad: Any) -> Any:
    """The gradients of GatherV2: slices along dimension 0, else a tensor."""
    params, indices, axis = op.inputs
    with colocate_with(params):
        params_shape: Any = array_shape.shape(params)
    size = array_shape.expand_dims(array_shape.size(indices), 0)
    batch_dims: int = op.attrs["batch_dims"]
    if batch_dims < 0:
        if indices.shape.rank is None:
            raise ValueError(
                "Currently, it is unsupported to take the gradient of tf.gather when batch_dims < "
                "0 and the rank of the indices is unknown. Please pass a positive batch_dims or "
                "use tf.ensure_shape to update the shape of indices when calling tf.gather. Got "
                f"batch_dims={batch_dims} and indices={indices}"
            )
        batch_dims += indices.shape.rank
    known = constants.constant_value(axis)
    if known is not None and known == 0:
        return [_slices(grad, indices, params_shape, size), None, None]
    summed = _summed(grad, indices, axis, params_shape, batch_dims)
    return [array_shape.reshape(summed, array_shape.shape(params)), None, None]


def gather_nd_gradient(op: Operation, grad: Any) -> Any:
    """The gradients of GatherNd: slices where each row holds one index, else a tensor."""
    params, indices = op.inputs
    shape = array_shape.shape(params, out_type=indices.dtype)
    dims = indices.shape.dims_tuple
    if dims is not None and len(dims) == 2 and dims[-1] == 1:
        return [IndexedSlices(grad, array_shape.squeeze(indices, axis=-1), shape), None]
    policy = op.attrs["bad_indices_policy"]
    return [single("ScatterNd", indices, grad, shape, bad_indices_policy=policy), None]


def _slices(
    grad: Any, indices: Tensor, params_shape: Any, size: Tensor | None = None
) -> IndexedSlices:
    """The gradient of gathering along dimension 0."""
    if size is None:
        size = array_shape.expand_dims(array_shape.size(indices), 0)
    values_shape = array_concat.concat([size, params_shape[1:]], 0)
    values = array_shape.reshape(dense(grad), values_shape)
    return IndexedSlices(values, array_shape.reshape(indices, size), params_shape)


def _summed(grad: Any, indices: Tensor, axis: Any, params_shape: Any, batch_dims: int) -> Tensor:
    """The gradient of gathering along any dimension: it goes first, then segments are summed."""
    outer: Any = params_shape[:axis]
    inner = params_shape[axis:][1:]
    values_shape = array_concat.concat([outer, [-1], inner], 0)
    count = array_shape.size(values_shape)
    place: Any = array_shape.size(outer)
    batch_axes = range_ops.range(batch_dims)
    outer_axes: Any = range_ops.range(batch_dims, place)
    inner_axes = range_ops.range(place + 1, count)
    values = array_shape.reshape(dense(grad), values_shape)
    order = array_concat.concat([batch_axes, [place], outer_axes, inner_axes], 0)
    moved = array_transpose.transpose(values, order)
    moved_shape = single("GatherV2", params_shape, order, 0)
    summed = _segment_sums(moved_shape, moved, indices, batch_dims, params_shape[axis])
    back = array_concat.concat([batch_axes, outer_axes + 1, [batch_dims], inner_axes], 0)
    return array_transpose.transpose(summed, back)


def _segment_sums(
    params_shape: Tensor, values: Tensor, indices: Tensor, batch_dims: int, size: Any
) -> Tensor:
    count = array_shape.expand_dims(array_shape.size(indices), 0)
    if not batch_dims:
        indices = array_shape.reshape(indices, count)
        return single("UnsortedSegmentSum", values, indices, size)
    shape: Any = array_shape.shape(values)
    outer = shape[:batch_dims]
    inner = shape[batch_dims:][1:]
    batches = single("Prod", outer, [0], keep_dims=False)
    flat_shape = array_concat.concat([[-1], inner], 0)
    size *= batches
    indices = _batch_indices(params_shape, indices, batch_dims)
    values = array_shape.reshape(values, flat_shape)
    indices = array_shape.reshape(indices, count)
    summed = single("UnsortedSegmentSum", values, indices, size)
    return array_shape.reshape(summed, array_concat.concat([outer, flat_shape], 0))


def _batch_indices(params_shape: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """The indices into the flattened first dimensions."""
    dtype = indices.dtype.base_dtype
    flat: Any = indices
    sizes: Any = params_shape
    if sizes.dtype.base_dtype != dtype:
        sizes = single("Cast", sizes, DstT=dtype)
    stride: Any = array_fill.ones((), dtype=dtype)
    for dim in range(batch_dims, 0, -1):
        size = sizes[dim - 1]
        stride *= sizes[dim]
        start, step = array_fill.zeros((), dtype=dtype), array_fill.ones((), dtype=dtype)
        offsets: Any = range_ops.range(start, size, step)
        offsets *= stride
        before = array_broadcast.tile([1], [dim - 1])
        rank: Any = array_shape.rank(indices)
        after = array_broadcast.tile([1], [rank - dim])
        shape = array_concat.concat([before, [size], after], axis=0)
        flat += array_shape.reshape(offsets, shape)
    return flat  # type: ignore[no-any-return]
