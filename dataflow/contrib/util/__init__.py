"""tf.contrib.util: tensors as messages, and what is known of them."""

from dataflow.graph.constant_value import constant_value as constant_value
from dataflow.values.tensor_proto import make_ndarray as make_ndarray
from dataflow.values.tensor_proto import make_tensor_proto as make_tensor_proto
