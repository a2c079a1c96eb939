"""Weights of losses: scalars, or tensors of the losses' leading axes; and the mean with them."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import ones
from dataflow.ops.array.select import where
from dataflow.ops.array.slice import slice as slice_of
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import multiply
from dataflow.ops.math.compare import equal, not_equal
from dataflow.ops.math.division import div, div_no_nan
from dataflow.values import dtypes


@add_arg_scope
def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection, unless that is None."""
    if loss_collection:
        scopes.add_to_collection(loss_collection, loss)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The mean of the losses whose weight is not 0, each times its weight.

    Args:
      losses: Of any shape; the first axis is that of examples.
      weights: A scalar, or a tensor of leading axes of the losses, or of these and one of size 1.
      scope: Name scope of the operations.

    Raises:
      ValueError: A rank is not known, or the weights do not fit.
    """
    with scopes.name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        if losses.shape.rank is None:
            raise ValueError("losses.get_shape().ndims cannot be None")
        if weights.shape.rank is None:
            raise ValueError("weights.get_shape().ndims cannot be None")
        if weights.shape.rank > 1 and weights.shape[-1].is_compatible_with(1):
            weights = array_shape.squeeze(weights, [-1])
        total = reductions.reduce_sum(scaled_sum(losses, weights))
        mean: Tensor = cast(div_no_nan(total, num_present(losses, weights), name="value"), dtype)
        add_loss(mean)
        return mean


def scaled_sum(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of losses, each times the weight of its leading axes."""
    axes = list(range(weights.shape.rank or 0, losses.shape.rank or 0))
    return reductions.reduce_sum(multiply(reductions.reduce_sum(losses, axis=axes), weights))


def num_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """How many losses have a weight other than 0, in all or of each example."""
    rank = weights.shape.rank or 0
    if rank == 0:
        first = slice_of(array_shape.shape(losses), [0], [1])
        examples = array_shape.reshape(first, [])
        each = div(cast(array_shape.size(losses), dtypes.float32), cast(examples, dtypes.float32))
        each = where(equal(weights, 0), 0.0, each)
        counts = multiply(ones(array_shape.reshape(examples, [1])), each)
    else:
        weighed = cast(not_equal(weights, 0), dtypes.float32)
        by_example = reductions.reduce_sum(weighed, axis=list(range(1, rank)))
        behind = slice_of(array_shape.shape(losses), [rank], [-1])
        counts = multiply(by_example, cast(reductions.reduce_prod(behind), dtypes.float32))
    return counts if per_batch else reductions.reduce_sum(counts)
