"""tensorflow.python.util.nest: names that it had before TensorFlow 2."""

from dataflow.library import shallow_nest
from dataflow.values import nest as _nest
from dataflow.values.nest import is_nested as is_nested

is_sequence = is_nested
is_sequence_or_composite = is_nested
_is_attrs = _nest.is_attrs
_is_namedtuple = _nest.is_namedtuple
_sequence_like = _nest.sequence_like

_STRUCTURES_HAVE_MISMATCHING_TYPES = shallow_nest.OTHER_TYPES
_STRUCTURES_HAVE_MISMATCHING_LENGTHS = shallow_nest.OTHER_LENGTHS
_SHALLOW_TREE_HAS_INVALID_KEYS = shallow_nest.OTHER_KEYS
_INPUT_TREE_SMALLER_THAN_SHALLOW_TREE = shallow_nest.FEWER_ITEMS
_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ = shallow_nest.NO_STRUCTURE
