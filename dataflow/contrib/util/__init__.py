"""tf.contrib.util: tensors as messages, and what is known of them."""

import dataflow.library.inspection as _inspection
from dataflow.saving.meta_graph.ops_used import ops_used_by_graph_def as ops_used_by_graph_def
from dataflow.saving.meta_graph.ops_used import (
    stripped_op_list_for_graph as stripped_op_list_for_graph,
)
from dataflow.values.tensor_proto import make_ndarray as make_ndarray
from dataflow.values.tensor_proto import make_tensor_proto as make_tensor_proto

constant_value = _inspection.get_static_value
