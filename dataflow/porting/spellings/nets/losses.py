"""tensorflow.python.ops.losses.losses_impl: what losses of programs are made of."""

from __future__ import annotations

from typing import Any

import dataflow.library.losses.weighted as _weighted
from dataflow.library.confusion_matrix import remove_squeezable_dimensions
from dataflow.library.losses.classification import without_last_axis

_num_elements = _weighted.num_elements
_num_present = _weighted.num_present
_safe_mean = _weighted.safe_mean


def _remove_squeezable_dimensions(
    labels: Any, predictions: Any, weights: Any = None, expected_rank_diff: int = 0
) -> tuple[Any, Any, Any]:
    """All three, without last axes of size 1 that keep their ranks from fitting.

    Args:
      labels: A tensor.
      predictions: A tensor.
      weights: A tensor, or None.
      expected_rank_diff: The rank of `predictions` less that of `labels` that fits.
    """
    labels, predictions = remove_squeezable_dimensions(labels, predictions, expected_rank_diff)
    weights = None if weights is None else without_last_axis(weights, labels)
    return labels, predictions, weights
