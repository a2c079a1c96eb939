"""tf.contrib.tensor_forest.proto: the messages of forests."""

from dataflow.proto import fertile_stats_pb2 as fertile_stats_pb2
from dataflow.proto import tensor_forest_params_pb2 as tensor_forest_params_pb2
