"""tensorflow.python.ops.losses.util: losses of single examples, and weights that fit them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_greater_equal
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal
from dataflow.values import dtypes

_TOO_FLAT = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1."


def squeeze_or_expand_dimensions(
    y_pred: Any, y_true: Any = None, sample_weight: Any = None
) -> tuple[Any, ...]:
    """Predictions, labels and weights, a last axis of size 1 taken off or put on so that they fit.

    Args:
      y_pred: A tensor.
      y_true: A tensor of its rank, or of one that differs by 1; or None.
      sample_weight: A scalar, or a tensor whose rank differs by 1 at most; or None.

    Returns:
      Both tensors, and the weights unless they are None.
    """
    rank = y_pred.shape.rank
    if y_true is not None:
        y_true, y_pred = _fitted(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true
    weights = convert_to_tensor(sample_weight)
    if weights.shape.rank == 0:
        return y_pred, y_true, weights
    if rank is not None and weights.shape.rank is not None:
        if weights.shape.rank == rank + 1:
            weights = array_shape.squeeze(weights, [-1])
        elif weights.shape.rank == rank - 1:
            weights = array_shape.expand_dims(weights, -1)
        return y_pred, y_true, weights
    own: Any = array_shape.rank(weights)
    excess = own - array_shape.rank(y_pred)

    def expanded() -> Any:
        return cond(
            equal(excess, -1), lambda: array_shape.expand_dims(weights, -1), lambda: weights
        )

    def adjusted() -> Any:
        return cond(equal(excess, 1), lambda: array_shape.squeeze(weights, [-1]), expanded)

    return y_pred, y_true, cond(equal(own, 0), lambda: weights, adjusted)


def _fitted(labels: Any, predictions: Any) -> Any:
    """Both, the last axis of one taken off; classes by their numbers keep that of predictions."""

    def fitted() -> Any:
        return remove_squeezable_dimensions(labels, predictions)

    own, other = labels.shape.rank, predictions.shape.rank
    if own is not None and other is not None:
        if other - own == 1 and predictions.shape.as_list()[-1] != 1:
            return labels, predictions
        return fitted()
    excess: Any = array_shape.rank(predictions)
    excess -= array_shape.rank(labels)
    sizes: Any = array_shape.shape(predictions)
    is_single = equal(1, sizes[-1])

    def fitted_if_single() -> Any:
        return cond(is_single, fitted, lambda: (labels, predictions))

    return cond(equal(1, excess), fitted_if_single, fitted)


def scale_losses_by_sample_weight(losses: Any, sample_weight: Any) -> Tensor:
    """Losses times the weights that fit them, as float32."""
    losses, weights = cast(losses, dtypes.float32), cast(sample_weight, dtypes.float32)
    losses, _, weights = squeeze_or_expand_dimensions(losses, None, weights)
    weighted: Tensor = losses * weights
    return weighted


@contextmanager
def check_per_example_loss_rank(per_example_loss: Any) -> Iterator[None]:
    """What is made within depends on a loss that has one number for each example at least.

    Raises:
      ValueError: It is known to be a scalar.
    """
    rank = per_example_loss.shape.rank
    if rank == 0:
        raise ValueError(
            f"{_TOO_FLAT} Received per_example_loss={per_example_loss} with rank {rank}"
        )
    if rank is not None:
        yield
        return
    checked = assert_greater_equal(array_shape.rank(per_example_loss), 1, message=_TOO_FLAT)
    with scopes.control_dependencies([checked]):
        yield
