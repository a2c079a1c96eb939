"""Points hashed by the sides of hyperplanes they lie on: the op of tf.contrib.nearest_neighbor."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unknown

define_op(
    "HyperplaneLSHProbes",
    inputs="point_hyperplane_product: CoordinateType, num_tables: int32,"
    " num_hyperplanes_per_table: int32, num_probes: int32",
    outputs="probes: int32, table_ids: int32",
    attrs=["CoordinateType: {float32, float64}"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="The buckets of hash tables in which the neighbors of points are likely found.",
)


def hyperplane_lsh_probes(
    point_hyperplane_product: Any,
    num_tables: Any,
    num_hyperplanes_per_table: Any,
    num_probes: Any,
    name: str | None = None,
) -> Any:
    """The buckets to look into for the neighbors of points (Lv et al., Multi-Probe LSH, 2007).

    The first probes are each table's own bucket of the point, the next ones those beyond the
    hyperplanes that are nearest to it. A bit of a bucket's number says on which side of a plane it
    lies, the first plane's is the highest.

    Args:
      point_hyperplane_product: float32 or float64, shape (points, tables * planes): inner products.
      num_tables: How many tables, int32.
      num_hyperplanes_per_table: How many planes each one has, int32, at most 30.
      num_probes: How many probes for each point, int32.
      name: Name of the operation.

    Returns:
      A named tuple: `probes`, the buckets, and `table_ids`, their tables; int32, both of shape
      (points, probes).

    Raises:
      InvalidArgumentError: When it runs: an argument has the wrong shape, or is too small or large.
      InternalError: When it runs: there are fewer buckets than probes.
    """
    made: tuple[Tensor, ...] = apply_op(
        "HyperplaneLSHProbes",
        point_hyperplane_product,
        num_tables,
        num_hyperplanes_per_table,
        num_probes,
        name=name,
    )
    return made
