"""The messages of tf.contrib.boosted_trees: how trees are grown, and what they are."""

import dataflow.proto.learner_pb2 as learner_pb2
import dataflow.proto.quantiles_pb2 as quantiles_pb2
import dataflow.proto.split_info_pb2 as split_info_pb2
import dataflow.proto.tree_config_pb2 as tree_config_pb2

__all__ = ["learner_pb2", "quantiles_pb2", "split_info_pb2", "tree_config_pb2"]
