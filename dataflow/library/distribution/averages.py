"""Losses over all replicas: each replica's part of a mean, so that the replicas' sum is it."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_types import assert_integer, assert_scalar
from dataflow.library.check_values import assert_greater_equal, assert_non_negative
from dataflow.library.distribution.context import (
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from dataflow.library.metrics.state import fitted
from dataflow.ops.array.shape import rank, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes

_RANK = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1."


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """The sum of the losses of a replica's examples over the number of all replicas' examples.

    Args:
      per_example_loss: A tensor of shape `[batch, ...]`.
      sample_weight: What each is times: a scalar, or a tensor that broadcasts, also one with a
        last dimension of size 1 more or less.
      global_batch_size: The number of examples: an integer scalar; None for the first dimension
        times the number of replicas.

    Returns:
      A scalar of the losses' dtype; 0 if there are no examples.

    Raises:
      RuntimeError: The number is not given, and this is outside of the replica's code.
      ValueError: The losses are a scalar, or the number is none.
      TypeError: The number is no integer.
      InvalidArgumentError: The number is negative; when it is known, at once.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank "
            f"1. Received per_example_loss={losses} with rank 0"
        )
    checks = []
    if losses.shape.rank is None:
        checks.append(assert_greater_equal(rank(losses), 1, message=_RANK))
    with control_dependencies(checks):
        return _average(losses, sample_weight, global_batch_size)


def _average(losses: Any, weights: Any, batch: Any) -> Any:
    dtype = losses.dtype
    if weights is not None:
        losses, weights = cast(losses, dtypes.float32), cast(weights, dtypes.float32)
        losses, _, weights = fitted(losses, None, weights)
        losses = cast(losses * weights, dtype)
    if batch is None:
        batch = shape(losses)[0] * _replicas("compute_average_loss")
    assert_scalar(batch, message="global_batch_size must be scalar.")
    assert_integer(batch, message="global_batch_size must be an integer.")
    assert_non_negative(batch, message="global_batch_size must be non-negative.")
    return div_no_nan(reduce_sum(losses), cast(batch, dtype))


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """The sum of a loss over the number of replicas.

    Args:
      regularization_loss: A tensor of any shape.

    Returns:
      A scalar of the dtype.

    Raises:
      RuntimeError: This is outside of the replica's code.
    """
    replicas = _replicas("scale_regularization_loss")
    return reduce_sum(regularization_loss) / replicas


def _replicas(asked_by: str) -> int:
    if has_strategy() and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{asked_by}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    return get_strategy().num_replicas_in_sync
