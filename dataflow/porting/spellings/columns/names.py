"""tensorflow.python.feature_column.feature_column and its kin: classes of columns, and the names
that begin with an underscore."""

from __future__ import annotations

from typing import Any

from dataflow.feature_columns import (
    categories,
    configs,
    crossing,
    numbers,
    sequences,
    shared,
    vectors,
)
from dataflow.feature_columns.inputs import Inputs, as_sparse, check_batches
from dataflow.porting.spellings.columns import bases

_FeatureColumn, FeatureColumn = bases._FeatureColumn, bases.FeatureColumn
_DenseColumn, DenseColumn = bases._DenseColumn, bases.DenseColumn
_CategoricalColumn, CategoricalColumn = bases._CategoricalColumn, bases.CategoricalColumn
_SequenceDenseColumn, SequenceDenseColumn = bases._SequenceDenseColumn, bases.SequenceDenseColumn
FeatureTransformationCache = Inputs
_NumericColumn = NumericColumn = numbers.NumericColumn
_BucketizedColumn = BucketizedColumn = numbers.BucketizedColumn
_EmbeddingColumn = EmbeddingColumn = vectors.EmbeddingColumn
_IndicatorColumn = IndicatorColumn = vectors.IndicatorColumn
_CrossedColumn = CrossedColumn = crossing.CrossedColumn
_IdentityCategoricalColumn = IdentityCategoricalColumn = categories.IdentityCategoricalColumn
_HashedCategoricalColumn = HashedCategoricalColumn = categories.HashedCategoricalColumn
VocabularyListCategoricalColumn = categories.VocabularyListCategoricalColumn
VocabularyFileCategoricalColumn = categories.VocabularyFileCategoricalColumn
_VocabularyListCategoricalColumn = VocabularyListCategoricalColumn
_VocabularyFileCategoricalColumn = VocabularyFileCategoricalColumn
_SharedEmbeddingColumn = vectors.CollectedEmbeddingColumn
SharedEmbeddingColumn = shared.SharedEmbeddingColumn
SharedEmbeddingColumnCreator = shared.SharedEmbeddingColumnCreator
shared_embedding_columns_v2 = shared.shared_embeddings
serialize_feature_column = configs.serialize_feature_column
serialize_feature_columns = configs.serialize_feature_columns
deserialize_feature_column = configs.deserialize_feature_column
deserialize_feature_columns = configs.deserialize_feature_columns
_column_name_with_class_name = configs.column_key
sequence_length_from_sparse_tensor = sequences.sequence_lengths
_verify_static_batch_size_equality = check_batches
_to_sparse_input_and_drop_ignore_values = as_sparse
_WeightedCategoricalColumn = WeightedCategoricalColumn = categories.WeightedCategoricalColumn
_numeric_column = numbers.numeric_column
_bucketized_column = numbers.bucketized_column
_embedding_column = vectors.embedding_column
_indicator_column = vectors.indicator_column
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


def is_feature_column_v2(feature_columns: Any) -> bool:
    """Whether all are columns, and none one of TensorFlow 1's base."""
    return all(isinstance(each, FeatureColumn) and each._is_v2_column for each in feature_columns)
