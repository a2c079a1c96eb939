"""tf.contrib.decision_trees.proto: the messages."""

from dataflow.proto import generic_tree_model_extensions_pb2 as generic_tree_model_extensions_pb2
from dataflow.proto import generic_tree_model_pb2 as generic_tree_model_pb2
