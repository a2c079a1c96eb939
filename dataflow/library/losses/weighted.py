"""Weighing the losses of the elements, and adding them up to one."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.collection import add_loss
from dataflow.library.weights import assert_broadcastable, broadcast_weights
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.division import div_no_nan
from dataflow.values import dtypes


class Reduction:
    """How weighted losses become one number, or stay as they are."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Does nothing for one of them.

        Raises:
          ValueError: `key` is none of them.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Weighs losses and adds them up.

    Args:
      losses: The losses of the elements, of any shape.
      weights: A scalar, or a tensor of the rank of `losses` whose axes are 1 or those of `losses`.
      scope: Name scope of the operations.
      loss_collection: Collection that the result is added to; None for no one.
      reduction: One of `Reduction`.

    Returns:
      A scalar of the type of `losses`; of their shape for `Reduction.NONE`.

    Raises:
      ValueError: `weights` does not fit, or there is no such reduction.
    """
    Reduction.validate(reduction)
    with (
        scopes.name_scope(scope, "weighted_loss", [losses, weights]),
        scopes.control_dependencies([assert_broadcastable(weights, losses)]),
    ):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses, weights = cast(losses, dtypes.float32), cast(weights, dtypes.float32)
        loss: Any = math_binary.multiply(losses, weights)
        if reduction != Reduction.NONE:
            loss = reductions.reduce_sum(loss)
            if reduction == Reduction.MEAN:
                count: Any = array_fill.ones_like(losses) * weights
                loss = safe_mean(loss, reductions.reduce_sum(count))
            elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                loss = safe_mean(loss, num_present(losses, weights))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = safe_mean(loss, num_elements(losses))
        result: Tensor = cast(loss, dtype)
        add_loss(result, loss_collection)
        return result


def num_present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """Number of elements whose weight is not 0, in all or for each entry of the first axis."""
    with scopes.name_scope(None, "num_present", [losses, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        present = array_select.where(
            math_compare.equal(weights, 0.0),
            array_fill.zeros_like(weights),
            array_fill.ones_like(weights),
        )
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = range_of(1, array_shape.rank(present))
            return reductions.reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return reductions.reduce_sum(present, name=scope)


def safe_mean(losses: Any, count: Any) -> Any:
    """The sum of losses by their number; 0 if there is none."""
    return div_no_nan(reductions.reduce_sum(losses), count, name="value")


def num_elements(losses: Any) -> Any:
    """How many losses there are, in their element type."""
    with scopes.name_scope(None, "num_elements", [losses]) as scope:
        return cast(array_shape.size(losses, name=scope), losses.dtype)
