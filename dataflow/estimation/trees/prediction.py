"""An ensemble of trees with the boundaries of its buckets, as it predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dataflow.estimation.trees.columns import (
    as_features,
    boundaries_by_column,
    count_features,
    float_columns,
    transformed,
)
from dataflow.graph.tensor import Tensor
from dataflow.library.boosted_trees import calls
from dataflow.library.boosted_trees.ensembles import TreeEnsemble
from dataflow.library.boosted_trees.quantiles import QuantileAccumulator

_QUANTILES: Final = "QuantileAccumulator"


class Trees:
    """The resources of a model in the default graph."""

    def __init__(self, scope: str, columns: Sequence[Any], quantile_sketch_epsilon: float) -> None:
        """Makes the resources.

        Args:
          scope: The open name scope, which names the ensemble.
          columns: By name.
          quantile_sketch_epsilon: How far ranks of boundaries may be off.

        Raises:
          ValueError: A column is of another kind than trees take.
        """
        self.columns = columns
        self.float_columns = float_columns(columns)
        self.ensemble = TreeEnsemble(name=scope)
        self.num_quantiles = int(1.0 / quantile_sketch_epsilon)
        self.quantile_accumulator: QuantileAccumulator | None = None
        self.boundaries: dict[str, list[Tensor]] = {}
        if self.float_columns:
            self.quantile_accumulator = QuantileAccumulator(
                epsilon=quantile_sketch_epsilon,
                num_streams=count_features(self.float_columns),
                num_quantiles=self.num_quantiles,
                name=_QUANTILES,
            )
            # Accumulators may give some more than they were asked for; statistics have no place
            # for these, and the last bucket has no end.
            boundaries: list[Any] = [
                each[: self.num_quantiles]
                for each in self.quantile_accumulator.get_bucket_boundaries()
            ]
            self.boundaries = boundaries_by_column(self.float_columns, boundaries)

    def features(self, features: Mapping[str, Any]) -> list[Tensor]:
        """The buckets of a batch's features, each of shape [batch]."""
        return as_features(transformed(features, self.columns), self.columns, self.boundaries)

    def logits(self, buckets: Sequence[Tensor], logits_dimension: int) -> Tensor:
        """What the trees say, shape [batch, logits_dimension]."""
        found: Tensor = calls.predict(
            tree_ensemble_handle=self.ensemble.resource_handle,
            bucketized_features=list(buckets),
            logits_dimension=logits_dimension,
        )
        return found
