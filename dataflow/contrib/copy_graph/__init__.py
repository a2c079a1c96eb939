"""tf.contrib.copy_graph: operations and variables of one graph in another."""

from dataflow.contrib.copy_graph.elements import copy_op_to_graph as copy_op_to_graph
from dataflow.contrib.copy_graph.elements import copy_variable_to_graph as copy_variable_to_graph
from dataflow.contrib.copy_graph.elements import get_copied_op as get_copied_op
