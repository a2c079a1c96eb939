"""Cross entropies with the logits first, as they were before TensorFlow 1.0."""

from __future__ import annotations

from typing import Any

from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: str | None = None
) -> Any:
    """`tf.nn.softmax_cross_entropy_with_logits`, whose arguments it takes the other way round."""
    return softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: str | None = None
) -> Any:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits`, as above."""
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: Any, targets: Any, name: str | None = None
) -> Any:
    """`tf.nn.sigmoid_cross_entropy_with_logits`, as above."""
    return sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
