"""UnravelIndex: places in a flat tensor as coordinates."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank, with_rank_at_most
from dataflow.values.shapes import TensorShape


def _shape(c: InferenceContext) -> TensorShape:
    places = with_rank_at_most(c.input(0), 1)
    rank = size_at(with_rank(c.input(1), 1), 0)
    if places.rank is None:
        return UNKNOWN
    return vector(rank) if not places.rank else TensorShape.of((rank, size_at(places, 0)))


define_op(
    "UnravelIndex",
    inputs="indices: Tidx, dims: Tidx",
    outputs="output: Tidx",
    attrs=["Tidx: {int32, int64} = int32"],
    shape=_shape,
    gradient=MISSING_GRADIENT,
    doc="Places in a flat tensor as coordinates in one of a shape.",
)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Places in a flat tensor as coordinates in one of shape `dims`.

    Args:
      indices: The places, a scalar or a vector, int32 or int64.
      dims: The shape, a vector.
      name: Name of the operation.

    Returns:
      A row for each dimension: shape `[len(dims)]` or `[len(dims), len(indices)]`.

    Raises:
      InvalidArgumentError: In the step, if a place is beyond the end.
    """
    return single("UnravelIndex", indices, dims, name=name)
