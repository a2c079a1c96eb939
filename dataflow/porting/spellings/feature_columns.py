"""tensorflow.python.feature_column.feature_column: its underscored names, and a base for dense
columns of other libraries."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dataflow.feature_columns import categories, crossing, numbers, sequences, vectors
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, FeatureColumn, Inputs
from dataflow.graph.tensor import Tensor

_FeatureColumn = FeatureColumn
_CategoricalColumn = CategoricalColumn
_LazyBuilder = Inputs
_NumericColumn = NumericColumn = numbers.NumericColumn
_BucketizedColumn = BucketizedColumn = numbers.BucketizedColumn
_EmbeddingColumn = EmbeddingColumn = vectors.EmbeddingColumn
_IndicatorColumn = IndicatorColumn = vectors.IndicatorColumn
_CrossedColumn = CrossedColumn = crossing.CrossedColumn
_IdentityCategoricalColumn = IdentityCategoricalColumn = categories.IdentityColumn
_HashedCategoricalColumn = HashedCategoricalColumn = categories.HashedColumn
_WeightedCategoricalColumn = WeightedCategoricalColumn = categories.WeightedColumn
_numeric_column = numbers.numeric_column
_bucketized_column = numbers.bucketized_column
_embedding_column = vectors.embedding_column
_indicator_column = vectors.indicator_column
_SequenceDenseColumn = SequenceDenseColumn = sequences.SequenceDenseColumn
_SequenceCategoricalColumn = SequenceCategoricalColumn = sequences.SequenceCategoricalColumn
SequenceNumericColumn = sequences.SequenceNumericColumn
concatenate_context_input = sequences.concatenate_context_input
sequence_input_layer = sequences.sequence_input_layer
_crossed_column = crossing.crossed_column
_weighted_categorical_column = categories.weighted_categorical_column
_categorical_column_with_identity = categories.categorical_column_with_identity
_categorical_column_with_hash_bucket = categories.categorical_column_with_hash_bucket
_categorical_column_with_vocabulary_file = categories.categorical_column_with_vocabulary_file
_categorical_column_with_vocabulary_list = categories.categorical_column_with_vocabulary_list


class _DenseColumn(DenseColumn):
    """A column that gives numbers, by the names that TensorFlow 1 had for its parts."""

    @property
    @abstractmethod
    def _parse_example_spec(self) -> dict[str, Any]:
        """By name what `tf.io.parse_example` is to take."""

    @abstractmethod
    def _transform_feature(self, inputs: Inputs) -> Any:
        """What the column makes of `inputs.get(name or column)`, once for a batch."""

    @property
    @abstractmethod
    def _variable_shape(self) -> Any:
        """The shape of the numbers of an example."""

    @abstractmethod
    def _get_dense_tensor(
        self, inputs: Inputs, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        """The numbers of a batch."""

    @property
    def _var_scope_name(self) -> str:
        return self.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """By name what `tf.io.parse_example` is to take."""
        return self._parse_example_spec

    def transformed(self, inputs: Inputs) -> Any:
        """What the column makes of the features, once for a batch."""
        return self._transform_feature(inputs)

    @property
    def variable_shape(self) -> list[int]:
        """The shape of the numbers of an example."""
        return [int(size) for size in self._variable_shape]

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """The numbers of a batch."""
        return self._get_dense_tensor(inputs, weight_collections=collections, trainable=trainable)

    @property
    def scope_name(self) -> str:
        """The scope of its variables."""
        return self._var_scope_name


def is_feature_column_v2(feature_columns: Any) -> bool:
    """Whether all are columns, and none one of TensorFlow 1's base."""
    return all(
        isinstance(each, FeatureColumn) and not isinstance(each, _DenseColumn)
        for each in feature_columns
    )
