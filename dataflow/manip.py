"""tf.manip: functions that move the elements of a tensor."""

from __future__ import annotations

from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.scatter import scatter_nd
from dataflow.ops.array.shape import reshape
from dataflow.ops.array.space import batch_to_space_nd, space_to_batch_nd
from dataflow.ops.array.transpose import reverse, roll

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
