"""tf.ragged.range: a range of numbers in each row."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes

_ORDER = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def ragged_range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """The numbers from a start up to a limit, in each row.

    Args:
      starts: A scalar or a vector; the limits, if there are none.
      limits: A scalar or a vector: what the numbers stay below.
      deltas: A scalar or a vector: the steps, which may be negative.
      dtype: Element type; by default the largest of the arguments' types.
      name: Prefix of the operations' names.
      row_splits_dtype: int32 or int64.

    Raises:
      InvalidArgumentError: At run time: a step is 0.
    """
    if limits is None:
        starts, limits = 0, starts
    with scopes.name_scope(name, "RaggedRange", [starts, limits, deltas]) as scope:
        parts = [
            convert_to_tensor(part, dtype=dtype, name=label)
            for part, label in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))
        ]
        if dtype is None:
            kinds = [part.dtype for part in parts]
            kind = max(kinds, key=lambda each: _ORDER.index(each) if each in _ORDER else 0)
            parts = [part if part.dtype == kind else cast(part, kind) for part in parts]
        made: Any = apply_op(
            "RaggedRange", *parts, Tsplits=dtypes.as_dtype(row_splits_dtype), name=scope
        )
        splits, values = made
        return RaggedTensor.from_row_splits(values, splits, validate=False)
