"""A group of sparse features as the solver takes them."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes


class SparseFeatureColumn:
    """Which examples have which features, and what these are."""

    def __init__(self, example_indices: Any, feature_indices: Any, feature_values: Any) -> None:
        """Takes three vectors of one size.

        Args:
          example_indices: The example of each feature, in order.
          feature_indices: Which feature it is.
          feature_values: What it is; 1 each if None.
        """
        with name_scope(None, "SparseFeatureColumn", [example_indices, feature_indices]):
            self._example_indices = convert_to_tensor(
                example_indices, name="example_indices", dtype=dtypes.int64
            )
            self._feature_indices = convert_to_tensor(
                feature_indices, name="feature_indices", dtype=dtypes.int64
            )
        self._feature_values: Tensor | None = None
        if feature_values is not None:
            with name_scope(None, "SparseFeatureColumn", [feature_values]):
                self._feature_values = convert_to_tensor(
                    feature_values, name="feature_values", dtype=dtypes.float32
                )

    @property
    def example_indices(self) -> Tensor:
        """The example of each feature, int64."""
        return self._example_indices

    @property
    def feature_indices(self) -> Tensor:
        """Which feature each is, int64."""
        return self._feature_indices

    @property
    def feature_values(self) -> Tensor | None:
        """What each is, float32, if it was told."""
        return self._feature_values
