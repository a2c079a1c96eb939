"""tensorflow.python.util.nest: names that it had before TensorFlow 2."""

from dataflow.values import nest as _nest
from dataflow.values.nest import is_nested as is_nested

is_sequence = is_nested
is_sequence_or_composite = is_nested
_is_attrs = _nest.is_attrs
_is_namedtuple = _nest.is_namedtuple
_sequence_like = _nest.sequence_like
