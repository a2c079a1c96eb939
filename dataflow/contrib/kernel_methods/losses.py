"""The hinge loss of several classes."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_values import assert_less
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.nn.activation import relu
from dataflow.ops.reductions.reduce import reduce_max, reduce_sum
from dataflow.values import dtypes


def sparse_multiclass_hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """max(0, 1 + max(logits of other classes) - logit of the label) (Crammer and Singer, 2001).

    Args:
      labels: Classes, int32 or int64 [batch_size] or [batch_size, 1].
      logits: Floats [batch_size, classes].
      weights: A number, or one for each example.
      scope: The name scope.
      loss_collection: Where the loss is put.
      reduction: What becomes of the examples' losses; see `tf.losses.Reduction`.

    Raises:
      ValueError: Ranks, types or sizes are others. When run, InvalidArgumentError: there is no such
        class.
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    with name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as scope:
        if logits.shape.ndims != 2:
            raise ValueError(
                "logits should have rank 2 ([batch_size, num_classes]). Given rank is "
                f"{logits.shape.ndims}"
            )
        if labels.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Invalid dtype for labels: {labels.dtype}. Acceptable dtypes: int32 and int64"
            )
        if labels.shape.ndims not in (1, 2):
            raise ValueError(
                "labels should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). Given rank is "
                f"{labels.shape.ndims}"
            )
        logits = cast(logits, dtypes.float32)
        count = shape(logits)[1]
        check = assert_less(labels, cast(count, labels.dtype))
        with control_dependencies([check]):
            labels = reshape(labels, [-1])
        weights = convert_to_tensor(weights)
        if weights.shape.ndims not in (0, 1, 2):
            raise ValueError(
                "non-scalar weights should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). "
                f"Given rank is {weights.shape.ndims}"
            )
        if weights.shape.ndims > 0:
            weights = reshape(weights, [-1])
            weights.shape.assert_is_compatible_with(labels.shape)
        is_label = one_hot(labels, count, dtype=dtypes.float32)
        own = reduce_sum(logits * is_label, 1, keepdims=True)
        margins = relu(logits - own + (1.0 - is_label))
        return compute_weighted_loss(
            reduce_max(margins, 1), weights, scope, loss_collection, reduction
        )
