"""tf.manip: functions that move the elements of a tensor."""

from __future__ import annotations

from dataflow.ops.all_array import (
    batch_to_space_nd,
    gather_nd,
    reshape,
    reverse,
    roll,
    scatter_nd,
    space_to_batch_nd,
    tile,
)

__all__ = [
    "batch_to_space_nd",
    "gather_nd",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "space_to_batch_nd",
    "tile",
]
