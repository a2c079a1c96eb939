"""tf.contrib.feature_column: columns of sequences."""

import dataflow.feature_columns.sequences as _sequences

concatenate_context_input = _sequences.concatenate_context_input
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
sequence_input_layer = _sequences.sequence_input_layer
sequence_numeric_column = _sequences.sequence_numeric_column
