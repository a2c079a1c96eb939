"""tf.contrib.layers.utils: where layers put what they make, and arguments in several forms."""

from dataflow.contrib.layers.arguments import channel_dimension as channel_dimension
from dataflow.contrib.layers.arguments import constant_value as constant_value
from dataflow.contrib.layers.arguments import last_dimension as last_dimension
from dataflow.contrib.layers.arguments import n_positive_integers as n_positive_integers
from dataflow.contrib.layers.arguments import smart_cond as smart_cond
from dataflow.contrib.layers.arguments import static_cond as static_cond
from dataflow.contrib.layers.arguments import two_element_tuple as two_element_tuple
from dataflow.contrib.layers.collections import append_tensor_alias as append_tensor_alias
from dataflow.contrib.layers.collections import collect_named_outputs as collect_named_outputs
from dataflow.contrib.layers.collections import (
    convert_collection_to_dict as convert_collection_to_dict,
)
from dataflow.contrib.layers.collections import gather_tensors_aliases as gather_tensors_aliases
from dataflow.contrib.layers.collections import get_tensor_aliases as get_tensor_aliases
from dataflow.contrib.layers.collections import get_variable_collections as get_variable_collections
