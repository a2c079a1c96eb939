"""The optimizer that estimators with linear models are given to train by dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.layers.columns.kinds import (
    OlderBucketizedColumn,
    OlderCrossedColumn,
    RealValuedColumn,
    SparseColumn,
    WeightedSparseColumn,
    key_of,
)
from dataflow.contrib.linear_optimizer.sdca_model import SdcaModel
from dataflow.contrib.linear_optimizer.sparse_feature_column import SparseFeatureColumn
from dataflow.control_flow.assertion import Assert
from dataflow.feature_columns.inputs import Inputs
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies
from dataflow.ops.array.fill import ones
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.select import one_hot, where
from dataflow.ops.array.shape import rank, reshape, shape
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import greater_equal, less_equal, not_equal
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.reductions.segment import unsorted_segment_min, unsorted_segment_sum
from dataflow.values import dtypes


class SDCAOptimizer:
    """Trains linear models of `tf.contrib.learn` by stochastic dual coordinate ascent.

    Features must hold an id of each example, a string.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Any = None,
    ) -> None:
        """Takes options.

        Args:
          example_id_column: The feature that holds the ids.
          num_loss_partitions: Over how many steps at once the loss is divided: as many as there
            are workers.
          num_table_shards: Into how many tables the examples' states are cut; one if None.
          symmetric_l1_regularization: How much the weights' L1 norm is held down.
          symmetric_l2_regularization: How much their L2 norm is; the solver takes 1 for less.
          adaptive: Takes examples by how much they may change.
          partitioner: Cuts the weights into parts.
        """
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive
        self._partitioner = partitioner

    def get_name(self) -> str:
        """Its name."""
        return "SDCAOptimizer"

    @property
    def example_id_column(self) -> str:
        """The feature that holds the ids."""
        return self._example_id_column

    @property
    def num_loss_partitions(self) -> int:
        """Over how many steps at once the loss is divided."""
        return self._num_loss_partitions

    @property
    def num_table_shards(self) -> int | None:
        """Into how many tables the examples' states are cut."""
        return self._num_table_shards

    @property
    def symmetric_l1_regularization(self) -> float:
        """How much the weights' L1 norm is held down."""
        return self._symmetric_l1_regularization

    @property
    def symmetric_l2_regularization(self) -> float:
        """How much the weights' L2 norm is held down."""
        return self._symmetric_l2_regularization

    @property
    def adaptive(self) -> bool:
        """Whether examples are taken by how much they may change."""
        return self._adaptive

    @property
    def partitioner(self) -> Any:
        """Cuts the weights into parts."""
        return self._partitioner

    def get_train_step(
        self,
        columns_to_variables: Mapping[Any, list[Any]],
        weight_column_name: str | None,
        loss_type: str,
        features: Mapping[Any, Any],
        targets: Any,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """The model of columns and their weights, and a training step of it.

        Args:
          columns_to_variables: By column the variables of its weights; several are parts of one.
          weight_column_name: The feature that tells what examples count; 1 each if None.
          loss_type: See `SdcaModel`.
          features: Features by name, and what columns made of them by column.
          targets: Labels, one for each example.
          global_step: A variable that is counted up.

        Raises:
          ValueError: A column is of another kind.
        """
        dense, dense_weights, sparse, sparse_weights = [], [], [], []
        for column in sorted(columns_to_variables, key=key_of):
            parts = columns_to_variables[column]
            weights = parts if len(parts) > 1 else parts[0]
            if isinstance(column, RealValuedColumn):
                dense.append(_rows(features[column]))
                dense_weights.append(weights)
                continue
            sparse.append(_group(column, features))
            sparse_weights.append(weights)
        if weight_column_name:
            counts = reshape(features[weight_column_name], shape=[-1])
        else:
            counts = ones([targets.shape[0]])
        model = SdcaModel(
            {
                "sparse_features": sparse,
                "dense_features": dense,
                "example_labels": cast(reshape(targets, shape=[-1]), dtypes.float32),
                "example_weights": counts,
                "example_ids": features[self._example_id_column],
            },
            {"sparse_features_weights": sparse_weights, "dense_features_weights": dense_weights},
            {
                "symmetric_l1_regularization": self._symmetric_l1_regularization,
                "symmetric_l2_regularization": self._symmetric_l2_regularization,
                "adaptive": self._adaptive,
                "num_loss_partitions": self._num_loss_partitions,
                "num_table_shards": self._num_table_shards,
                "loss_type": loss_type,
            },
        )
        return model, model.minimize(global_step=global_step)


def _rows(numbers: Any) -> Any:
    check = Assert(less_equal(rank(numbers), 2), ["transformed_tensor should have rank at most 2."])
    with control_dependencies([check]):
        return reshape(numbers, [shape(numbers)[0], -1])


def _group(column: Any, features: Mapping[Any, Any]) -> SparseFeatureColumn:
    """The features of a column of categories."""
    if isinstance(column, OlderBucketizedColumn):
        buckets = one_hot(cast(features[column], dtypes.int64), column.length, 1.0, 0.0)
        flat = reshape(buckets, [-1, column.length * column.source_column.shape[0]])
        places: Any = where(not_equal(flat, 0.0))
        return SparseFeatureColumn(places[:, 0], places[:, 1], gather_nd(flat, places))
    if isinstance(column, WeightedSparseColumn):
        named = {name: each for name, each in features.items() if isinstance(name, str)}
        ids, weights = column.ids_and_weights(Inputs(named))
        assert weights is not None, "a column with weights gives them"
        return each_once(ids, reshape(weights.values, [-1]))
    if isinstance(column, (SparseColumn, OlderCrossedColumn)):
        ids = features[column]
        return each_once(ids, ones([shape(ids.indices)[0]], dtypes.float32))
    raise ValueError(f"SDCAOptimizer does not support column type {type(column).__name__}.")


def each_once(ids: Any, weights: Any) -> SparseFeatureColumn:
    """Categories of examples, each once: the solver takes none twice."""
    examples, numbers = reshape(ids.indices[:, 0], [-1]), reshape(ids.values, [-1])
    # A vocabulary gives -1 for what it does not know.
    is_known = greater_equal(numbers, 0)
    numbers = boolean_mask(numbers, is_known)
    examples = boolean_mask(examples, is_known)
    weights = boolean_mask(weights, is_known)
    width: Any = reduce_max(numbers) + 1
    pairs, places = unique(width * examples + numbers)
    count = shape(pairs)[0]
    examples = unsorted_segment_min(examples, places, count)
    summed = reshape(unsorted_segment_sum(weights, places, count), [-1])
    return SparseFeatureColumn(examples, pairs - width * examples, summed)
