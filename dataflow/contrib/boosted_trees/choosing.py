"""Which features count in a layer, where not all are to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.fill import ones
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import logical_and, logical_or
from dataflow.ops.random.seeded import stateless_uniform
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values import dtypes


def active_handlers(
    config: LearnerConfig, count: int, layers: Any, trees: Any, used: tuple[Any, Any]
) -> Sequence[Any]:
    """For each feature, whether it counts in this layer and in the next one: two booleans.

    Args:
      config: Which part of the features is drawn for each layer or tree, and how many may be used.
      count: How many features there are.
      layers: How many layers were tried, from which the draw follows.
      trees: How many trees were tried.
      used: How many features splits have used, and which.
    """
    kind = config.WhichOneof("feature_fraction")
    most = config.constraints.max_number_of_unique_feature_columns
    if kind is None and not most:
        return [constant([True, True])] * count
    if kind == "feature_fraction_per_level":
        drawn = [_drawn(count, seed, 1) for seed in (layers, layers + 1)]
        chosen = stack(drawn, axis=1) < config.feature_fraction_per_level
    elif kind == "feature_fraction_per_tree":
        here = _drawn(count, trees, 2) < config.feature_fraction_per_tree
        chosen = stack([here, ones([count], dtypes.bool)], axis=1)
    else:
        chosen = ones([count, 2], dtypes.bool)
    if most:
        number, mask = used
        known = array_shape.reshape(mask, [-1, 1])
        is_free = cast(number, dtypes.int64) < most
        chosen = logical_and(chosen, logical_or(concat([known, known], axis=1), is_free))
    return unstack(chosen, num=count, axis=0)


def _drawn(count: int, seed: Any, place: int) -> Any:
    """Numbers in [0, 1), one for each feature."""
    return stateless_uniform([count], stack([seed, constant(place, dtypes.int64)]), alg="philox")
