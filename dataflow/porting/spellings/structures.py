"""tensorflow.python.util.nest: names that it had before TensorFlow 2."""

from dataflow.values.nest import is_nested as is_nested

is_sequence = is_nested
is_sequence_or_composite = is_nested
