"""tf.contrib.feature_column: columns of sequences."""

from dataflow.feature_columns.sequences import (
    concatenate_context_input as concatenate_context_input,
)
from dataflow.feature_columns.sequences import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from dataflow.feature_columns.sequences import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from dataflow.feature_columns.sequences import (
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
)
from dataflow.feature_columns.sequences import (
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
)
from dataflow.feature_columns.sequences import (
    sequence_input_layer as sequence_input_layer,
)
from dataflow.feature_columns.sequences import (
    sequence_numeric_column as sequence_numeric_column,
)
