"""What the losses ask of their arguments, in TensorFlow's words."""

from __future__ import annotations

from typing import Any

from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes


def check_given(**arguments: Any) -> None:
    """Raises ValueError for an argument that is None."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def floats_of_one_shape(predictions: Any, labels: Any) -> tuple[Any, Any]:
    """Both as float32.

    Raises:
      ValueError: Their static shapes differ.
    """
    predictions, labels = cast(predictions, dtypes.float32), cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels
