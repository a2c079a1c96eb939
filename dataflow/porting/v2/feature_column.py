"""tf.compat.v2.feature_column: what is not as in TensorFlow 1."""

from dataflow.feature_columns.shared import shared_embeddings as shared_embeddings
