"""Nested structures, `tf.nest`: flatten, map and rebuild lists, tuples, dicts, attrs classes.

Sequences (but not strings), namedtuples, mappings, mapping views, attrs classes and classes with
`__tf_flatten__` and `__tf_unflatten__` are structures; everything else is an atom. Mappings are
walked in the order of their sorted keys.
"""

from dataflow.values.nest import assert_same_structure as assert_same_structure
from dataflow.values.nest import flatten as flatten
from dataflow.values.nest import is_nested as is_nested
from dataflow.values.nest import map_structure as map_structure
from dataflow.values.nest import pack_sequence_as as pack_sequence_as
