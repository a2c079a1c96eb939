"""Strings joined by segment."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge_dim
from dataflow.values.shapes import TensorShape


def _joined_shape(c: InferenceContext) -> TensorShape:
    strings, numbers = c.input(0).dims_tuple, c.input(1).dims_tuple
    if c.input(2).rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {c.input(2).rank}")
    if strings is None or numbers is None:
        return UNKNOWN
    if len(numbers) > len(strings):
        raise ValueError(f"Shape must be at least rank {len(numbers)} but is rank {len(strings)}")
    for mine, other in zip(strings, numbers, strict=False):
        merge_dim(mine, other)
    count = c.constant(2)
    if count is not None and int(count) < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}"
        )
    rows = None if count is None else int(count)
    return TensorShape.of((rows, *strings[len(numbers) :]))


define_op(
    "UnsortedSegmentJoin",
    inputs="inputs: string, segment_ids: Tindices, num_segments: Tnumsegments",
    outputs="output: string",
    attrs=[
        "separator: string = ''",
        "Tindices: {int32, int64}",
        "Tnumsegments: {int32, int64} = int32",
    ],
    shape=_joined_shape,
    gradient=MISSING_GRADIENT,
    doc="The strings of each segment, joined.",
)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings of each segment, joined in their order.

    Args:
      inputs: Strings.
      segment_ids: Which segment each belongs to; its shape is how that of `inputs` begins.
      num_segments: How many segments there are.
      separator: What stands between strings.
      name: Name of the operation.

    Raises:
      ValueError: The static shapes do not fit.
      InvalidArgumentError: At run time: there is no such segment.
    """
    return single(
        "UnsortedSegmentJoin", inputs, segment_ids, num_segments, separator=separator, name=name
    )
