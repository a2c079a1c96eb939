"""tf.graph_util: sub-graphs, frozen variables, graphs without what only training needs."""

from dataflow.importing.import_graph import import_graph_def as import_graph_def
from dataflow.importing.sub_graphs import (
    convert_variables_to_constants as convert_variables_to_constants,
)
from dataflow.importing.sub_graphs import extract_sub_graph as extract_sub_graph
from dataflow.importing.sub_graphs import must_run_on_cpu as must_run_on_cpu
from dataflow.importing.sub_graphs import remove_training_nodes as remove_training_nodes
from dataflow.importing.sub_graphs import (
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)
