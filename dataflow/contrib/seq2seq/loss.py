"""Weighted cross-entropy of sequences of logits."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.keras.losses import Loss
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import count_nonzero


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Any = None,
    name: Any = None,
) -> Any:
    """The cross-entropy of targets under logits, each weighted.

    Means are divided by the sum of weights, sums by how many weights are not zero. Where there is
    a mean over one dimension, there is no sum over the other.

    Args:
      logits: Floats [batch, time, classes].
      targets: Classes, int [batch, time].
      weights: Floats [batch, time].
      average_across_timesteps: Whether to take the mean over time.
      average_across_batch: Whether to take the mean over sequences.
      sum_over_timesteps: Whether to sum over time.
      sum_over_batch: Whether to sum over sequences.
      softmax_loss_function: Makes losses [all] of `labels` [all] and `logits` [all, classes]; the
        sparse softmax cross-entropy if None.
      name: Name scope.

    Returns:
      A scalar, or floats [batch], [time] or [batch, time], as dimensions are left.

    Raises:
      ValueError: A rank is not right, or both mean and sum are asked for.
    """
    logits, targets, weights = map(convert_to_tensor, (logits, targets, weights))
    _check_rank(logits, 3, "Logits", "[batch_size x sequence_length x logits]")
    _check_rank(targets, 2, "Targets", "[batch_size x sequence_length]")
    _check_rank(weights, 2, "Weights", "[batch_size x sequence_length]")
    for mean, total, what in (
        (average_across_timesteps, sum_over_timesteps, "timesteps"),
        (average_across_batch, sum_over_batch, "batch"),
    ):
        if mean and total:
            raise ValueError(
                f"average_across_{what} and sum_over_{what} cannot be set to True at same time."
            )
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = shape(logits)[2]
        flat_logits = reshape(logits, [-1, classes])
        flat_targets = reshape(targets, [-1])
        loss_of = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        losses = loss_of(labels=flat_targets, logits=flat_logits)
        losses = reshape(losses * reshape(weights, [-1]), shape(logits)[:2])
        losses.set_shape(logits.shape[:2])
        axes = _axes(average_across_batch, average_across_timesteps)
        if axes:
            return reduce_sum(losses, axis=axes) / (reduce_sum(weights, axis=axes) + 1e-12)
        axes = _axes(sum_over_batch, sum_over_timesteps)
        if not axes:
            return losses
        counts = cast(count_nonzero(weights, axis=axes), losses.dtype)
        return div_no_nan(reduce_sum(losses, axis=axes), counts)


def _axes(of_batch: bool, of_time: bool) -> list[int]:
    return [axis for axis, reduces in enumerate((of_batch, of_time)) if reduces]


def _check_rank(tensor: Tensor, rank: int, what: str, expected: str) -> None:
    if tensor.shape.rank != rank:
        raise ValueError(f"{what} must be a {expected} tensor")


class SequenceLoss(Loss):
    """`sequence_loss` as an object, which takes targets before logits.

    Args:
      average_across_timesteps: See `sequence_loss`, as for the others.
      average_across_batch: See above.
      sum_over_timesteps: See above.
      sum_over_batch: See above.
      softmax_loss_function: See above.
      name: Name scope.
    """

    def __init__(
        self,
        average_across_timesteps: bool = False,
        average_across_batch: bool = False,
        sum_over_timesteps: bool = True,
        sum_over_batch: bool = True,
        softmax_loss_function: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.average_across_timesteps = average_across_timesteps
        self.average_across_batch = average_across_batch
        self.sum_over_timesteps = sum_over_timesteps
        self.sum_over_batch = sum_over_batch
        self.softmax_loss_function = softmax_loss_function

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of logits; `sample_weight` is the weight of each target."""
        return sequence_loss(
            y_pred,
            y_true,
            sample_weight,
            average_across_timesteps=self.average_across_timesteps,
            average_across_batch=self.average_across_batch,
            sum_over_timesteps=self.sum_over_timesteps,
            sum_over_batch=self.sum_over_batch,
            softmax_loss_function=self.softmax_loss_function,
            name=self.name,
        )
