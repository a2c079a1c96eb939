"""Losses and values times the weights of samples."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.library.weights import assert_broadcastable


def squeeze_or_expand(y_pred: Any, y_true: Any) -> tuple[Any, Any]:
    """Both without a last dimension of size 1 that only one of them has."""
    ranks = y_pred.shape.rank, y_true.shape.rank
    if None in ranks:
        return y_pred, y_true
    if ranks[0] - ranks[1] == 1 and ranks[1] > 0 and y_pred.shape.as_list()[-1] in (1, None):
        if y_pred.shape.as_list()[-1] == 1:
            y_pred = ops.squeeze(y_pred, [-1])
    elif ranks[1] - ranks[0] == 1 and y_true.shape.as_list()[-1] in (1, None):
        y_true = ops.squeeze(y_true, [-1])
    return y_pred, y_true


def fitted_weights(values: Any, weights: Any) -> Any:
    """Weights with as many dimensions as values: those behind are 1."""
    weights = ops.cast(weights, values.dtype.base_dtype)
    rank, have = values.shape.rank, weights.shape.rank
    if rank is None or have in (None, 0) or rank == have:
        return weights
    if have - rank == 1:
        return ops.squeeze(weights, [-1])
    for _ in range(rank - have):
        weights = ops.expand_dims(weights, -1)
    return weights


def compute_weighted_loss(
    losses: Any,
    sample_weight: Any = None,
    reduction: str = "sum_over_batch_size",
    name: str | None = None,
) -> Any:
    """Losses times weights, as they are, summed up, or over their number."""
    with ops.name_scope(name or "weighted_loss"):
        losses = ops.convert_to_tensor(losses)
        if sample_weight is not None:
            weights = fitted_weights(losses, sample_weight)
            if losses.shape.is_fully_defined() and weights.shape.is_fully_defined():
                assert_broadcastable(weights, losses)
            losses = losses * weights
        return reduced(losses, reduction)


def reduced(losses: Any, reduction: str) -> Any:
    """Losses as one number, unless `reduction` is "none"."""
    if reduction == "none":
        return losses
    total = ops.reduce_sum(losses)
    if reduction == "sum":
        return total
    return ops.div_no_nan(total, ops.cast(ops.size(losses), losses.dtype))


def with_mask(mask: Any, weights: Any, dtype: Any) -> Any:
    """Weights, and zeros where a mask is false; None for neither."""
    if mask is None:
        return weights
    mask = ops.cast(mask, dtype)
    return mask if weights is None else mask * fitted_weights(mask, weights)
