"""tf.feature_column: how features of many kinds become the numbers that a net takes."""

import dataflow.feature_columns.sequences as _sequences
from dataflow.feature_columns.categories import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from dataflow.feature_columns.categories import (
    categorical_column_with_identity as categorical_column_with_identity,
)
from dataflow.feature_columns.categories import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from dataflow.feature_columns.categories import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
from dataflow.feature_columns.categories import (
    weighted_categorical_column as weighted_categorical_column,
)
from dataflow.feature_columns.crossing import crossed_column as crossed_column
from dataflow.feature_columns.models import input_layer as input_layer
from dataflow.feature_columns.models import linear_model as linear_model
from dataflow.feature_columns.models import make_parse_example_spec as make_parse_example_spec
from dataflow.feature_columns.numbers import bucketized_column as bucketized_column
from dataflow.feature_columns.numbers import numeric_column as numeric_column
from dataflow.feature_columns.vectors import embedding_column as embedding_column
from dataflow.feature_columns.vectors import indicator_column as indicator_column
from dataflow.feature_columns.vectors import shared_embedding_columns as shared_embedding_columns

sequence_categorical_column_with_hash_bucket = (
    _sequences.sequence_categorical_column_with_hash_bucket
)
sequence_categorical_column_with_identity = _sequences.sequence_categorical_column_with_identity
sequence_categorical_column_with_vocabulary_file = (
    _sequences.sequence_categorical_column_with_vocabulary_file
)
sequence_categorical_column_with_vocabulary_list = (
    _sequences.sequence_categorical_column_with_vocabulary_list
)
sequence_numeric_column = _sequences.sequence_numeric_column
