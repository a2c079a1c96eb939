"""Ops that look up entries of a tensor by index."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.batch_gather as array_batch_gather
import dataflow.ops.array.gather_gradient as gradients
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import scalar_value, size_at, subshape, unknown_of_rank
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _gather_shape(c: InferenceContext) -> TensorShape:
    params = with_rank_at_least(c.input(0), 1)
    return c.input(1).concatenate(subshape(params, 1))


def _gather_v2_shape(c: InferenceContext) -> TensorShape:
    params, indices = with_rank_at_least(c.input(0), 1), c.input(1)
    axis = scalar_value(c, 2)
    batch_dims: int = c.attr("batch_dims")
    if axis is None:
        if params.rank is None or indices.rank is None:
            return UNKNOWN
        own = batch_dims + indices.rank if batch_dims < 0 else batch_dims
        return unknown_of_rank(params.rank + indices.rank - 1 - own)
    with_rank_at_least(params, -axis if axis < 0 else axis + 1)
    with_rank_at_least(indices, abs(batch_dims))
    if batch_dims < 0:
        if indices.rank is None:
            return UNKNOWN
        batch_dims += indices.rank
    with_rank_at_least(params, batch_dims + 1)
    outer = subshape(params, 0, axis)
    inner = TensorShape.of(()) if axis == -1 else subshape(params, axis + 1)
    return outer.concatenate(subshape(indices, batch_dims)).concatenate(inner)


def _gather_nd_shape(c: InferenceContext) -> TensorShape:
    params, indices = c.input(0), with_rank_at_least(c.input(1), 1)
    depth = size_at(indices, -1)
    if params.rank is None or depth is None:
        return UNKNOWN
    if depth > params.rank:
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{_text(indices)} and params shape: {_text(params)}"
        )
    return subshape(indices, 0, -1).concatenate(subshape(params, depth))


def _text(shape: TensorShape) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape.dims_tuple or ()) + "]"


define_op(
    "Gather",
    inputs="params: Tparams, indices: Tindices",
    outputs="output: Tparams",
    attrs=["validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"],
    shape=_gather_shape,
    gradient=gradients.gather_gradient,
    doc="Entries of a tensor along its first dimension; found in old graphs.",
)

define_op(
    "GatherV2",
    inputs="params: Tparams, indices: Tindices, axis: Taxis",
    outputs="output: Tparams",
    attrs=[
        "batch_dims: int = 0",
        "Tparams: type",
        "Tindices: {int16, int32, int64}",
        "Taxis: {int32, int64}",
    ],
    shape=_gather_v2_shape,
    gradient=gradients.gather_v2_gradient,
    doc="Entries of a tensor along a dimension; the first batch_dims dimensions go in step.",
)

define_op(
    "GatherNd",
    inputs="params: Tparams, indices: Tindices",
    outputs="output: Tparams",
    attrs=[
        "Tparams: type",
        "Tindices: {int16, int32, int64}",
        "bad_indices_policy: string = ''",
    ],
    shape=_gather_nd_shape,
    gradient=gradients.gather_nd_gradient,
    doc="Entries of a tensor; each row of the indices' last dimension says where one is.",
)


@dispatched
def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Entries of a tensor along a dimension.

    Args:
      params: A tensor of at least one dimension, or a variable.
      indices: Positions along the dimension: an integer tensor.
      validate_indices: Has no effect.
      name: Name of the operation.
      axis: The dimension; `batch_dims` if None. Negative ones count from the end.
      batch_dims: How many first dimensions of `params` and `indices` go in step.

    Returns:
      A tensor of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis+1:]`.

    Raises:
      ValueError: The shapes are known not to allow it.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.gather([10, 20, 30], [2, 0])))
    [30 10]
    """
    if axis is None:
        axis = batch_dims
    place = constants.constant_value(axis) if isinstance(axis, Tensor) else axis
    if place is not None and place == 0 and hasattr(params, "sparse_read"):
        found: Tensor = params.sparse_read(indices, name=name)
        return found
    # With axis 0 TensorFlow passes over `batch_dims`.
    in_step = 0 if place is not None and place == 0 else batch_dims
    return single("GatherV2", params, indices, axis, name=name, batch_dims=in_step)


@dispatched
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Gathers along the last dimension of `indices`; all dimensions before it go in step.

    Raises:
      ValueError: The rank of `indices` is not known.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.shape.rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return array_batch_gather.gather_in_step(params, indices, indices.shape.rank - 1)


@dispatched
def gather_nd(
    params: Any,
    indices: Any,
    name: str | None = None,
    batch_dims: Any = 0,
    bad_indices_policy: str = "",
) -> Tensor:
    """Entries or slices of a tensor; each row of `indices` says where one is.

    Args:
      params: Any tensor, or a variable.
      indices: Integers of shape `[..., depth]`: positions along the first `depth` dimensions.
      name: Name of the operation.
      batch_dims: How many first dimensions of `params` and `indices` go in step.
      bad_indices_policy: "" or "ERROR" to refuse positions out of range, "IGNORE" to take zeros.

    Returns:
      A tensor of shape `indices.shape[:-1] + params.shape[depth:]`.

    Raises:
      ValueError: The shapes are known not to allow it.
    """
    known = constants.constant_value(batch_dims) if isinstance(batch_dims, Tensor) else batch_dims
    if known is not None:
        batch_dims = int(known)
    if batch_dims != 0:
        return array_batch_gather.gather_nd_in_step(
            params, indices, batch_dims, name, bad_indices_policy
        )
    if bad_indices_policy in ("", "DEFAULT") and hasattr(params, "gather_nd"):
        found: Tensor = params.gather_nd(indices, name=name)
        return found
    return single("GatherNd", params, indices, name=name, bad_indices_policy=bad_indices_policy)
