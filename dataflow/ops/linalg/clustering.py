"""Points and the centers of their clusters: which ones are near, and which begin."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import scalar, unknown

define_op(
    "KmeansPlusPlusInitialization",
    inputs="points: float32, num_to_sample: int64, seed: int64, num_retries_per_sample: int64",
    outputs="samples: float32",
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Rows drawn as likely as they are far, by the square, from those drawn before.",
)

define_op(
    "KMC2ChainInitialization",
    inputs="distances: float32, seed: int64",
    outputs="index: int64",
    shape=scalar,
    gradient=MISSING_GRADIENT,
    doc="The end of a Markov chain whose steps are as likely as a distance is great.",
)

define_op(
    "NearestNeighbors",
    inputs="points: float32, centers: float32, k: int64",
    outputs="nearest_center_indices: int64, nearest_center_distances: float32",
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="For each point the nearest centers, and the squares of their distances.",
)


def nearest_neighbors(points: Any, centers: Any, k: Any) -> list[Tensor]:
    """The nearest centers of points.

    Args:
      points: float32, shape (n, d).
      centers: float32, shape (m, d).
      k: int64, how many.

    Returns:
      The numbers of centers, int64, and the squares of their distances, ascending, float32: both
      of shape (n, min(k, m)).
    """
    return list(apply_op("NearestNeighbors", points, centers, k))


def kmeans_plus_plus(points: Any, count: Any, seed: Any, retries: Any) -> Tensor:
    """Rows that are far from each other (Arthur and Vassilvitskii, 2007).

    Args:
      points: float32, shape (n, d).
      count: int64, how many rows.
      seed: int64.
      retries: int64, how many more are drawn for each, of which the best is taken; as many as the
        logarithm of `count`, and two, if negative.
    """
    return single("KmeansPlusPlusInitialization", points, count, seed, retries)


def kmc2_chain(distances: Any, seed: Any) -> Tensor:
    """The row on which a Markov chain ends (Bachem et al., 2016).

    Args:
      distances: float32, a vector: how far each row is from the centers that there are.
      seed: int64.
    """
    return single("KMC2ChainInitialization", distances, seed)
