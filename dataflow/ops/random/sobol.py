"""Points of Sobol's sequence, which fill a cube evenly."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import scalar_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _points(c: InferenceContext) -> TensorShape:
    for place in range(3):
        with_rank(c.input(place), 0)
    return TensorShape.of((scalar_size(c, 1), scalar_size(c, 0)))


define_op(
    "SobolSample",
    inputs="dim: int32, num_results: int32, skip: int32",
    outputs="samples: dtype",
    attrs=["dtype: {float32, float64} = float32"],
    shape=_points,
    gradient=MISSING_GRADIENT,
    doc="Points of Sobol's sequence.",
)


def sobol_sample(
    dim: Any,
    num_results: Any,
    skip: Any = 0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Points of Sobol's sequence, with the direction numbers of Joe and Kuo (2008).

    Args:
      dim: How many dimensions the cube has.
      num_results: How many points.
      skip: How many points are left out before, beside the corner.
      dtype: float32 or float64.
      name: Name of the scope of the operations.

    Returns:
      Shape [num_results, dim].

    Raises:
      InvalidArgumentError: At run time: a number is out of range.
    """
    with name_scope(name, "sobol", [dim, num_results, skip]):
        return single("SobolSample", dim, num_results, skip, dtype=dtype)
