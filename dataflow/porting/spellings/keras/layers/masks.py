"""tensorflow.python.keras.layers.recurrent_v2: masks of sequences that are padded at their end."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops


def calculate_sequence_by_mask(mask: Any, time_major: bool) -> Any:
    """The number of steps of each sequence, int32.

    Args:
      mask: Truth values (batch, steps).
      time_major: Whether the steps come before the batch.
    """
    return ops.reduce_sum(ops.cast(mask, "int32"), axis=0 if time_major else 1)


def is_sequence_right_padded(mask: Any, time_major: bool) -> Any:
    """Whether all steps that a mask leaves out come behind all others, a scalar.

    Args:
      mask: Truth values (batch, steps).
      time_major: Whether the steps come before the batch.
    """
    if time_major:
        mask = ops.transpose(mask)
    lengths = calculate_sequence_by_mask(mask, time_major=False)
    padded = ops.sequence_mask(lengths, maxlen=ops.shape(mask)[1])
    return ops.reduce_all(ops.equal(mask, padded))
