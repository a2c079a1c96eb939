"""Losses by which trees learn what a net says: between the chances that both tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.learn.heads import losses
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.losses import softmax_cross_entropy_with_logits_v2
from dataflow.ops.nn.softmax import softmax


def _chances(logits: Any, n_classes: int) -> Any:
    return sigmoid(logits) if n_classes == 2 else softmax(logits)


def create_dnn_to_tree_squared_loss_fn(n_classes: int) -> Callable[[Any, Any, Any], Any]:
    """The squares of differences of chances.

    Args:
      n_classes: How many classes there are.

    Returns:
      A function of the net's logits, those of the trees, and the weights of examples.
    """

    def loss(dnn_logits: Any, tree_logits: Any, example_weights: Any) -> Any:
        return losses.squares(
            labels=_chances(dnn_logits, n_classes),
            logits=_chances(tree_logits, n_classes),
            weights=example_weights,
        )[0]

    return loss


def create_dnn_to_tree_cross_entropy_loss_fn(n_classes: int) -> Callable[[Any, Any, Any], Any]:
    """The cross entropy; see `create_dnn_to_tree_squared_loss_fn`.

    The chances of the net are the labels: also those of several classes, where TensorFlow's
    function asks for integers and fails.
    """

    def loss(dnn_logits: Any, tree_logits: Any, example_weights: Any) -> Any:
        chances = _chances(dnn_logits, n_classes)
        if n_classes == 2:
            return losses.two_classes(chances, tree_logits, example_weights)[0]
        each = softmax_cross_entropy_with_logits_v2(labels=chances, logits=tree_logits)
        if example_weights is not None:
            each = array_shape.expand_dims(each, 1)
        return losses.weighted(each, example_weights)[0]

    return loss
