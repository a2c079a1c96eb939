"""tf_slim beside TensorFlow 2.21, which has moved what tf_slim looks for."""

from tensorflow.python.framework import indexed_slices, ops, tensor
from tensorflow.python.ops import (
    array_ops,
    array_ops_stack,
    cond,
    control_flow_case,
    control_flow_ops,
)

ops.Tensor = tensor.Tensor
ops.IndexedSlices = indexed_slices.IndexedSlices
array_ops.stack = array_ops_stack.stack
array_ops.unstack = array_ops_stack.unstack
control_flow_ops.cond = cond.cond
control_flow_ops.case = control_flow_case.case

import tf_slim as tf_slim  # noqa: E402
from tf_slim.layers.optimizers import optimize_loss as optimize_loss  # noqa: E402
from tf_slim.metrics import metric_ops as metric_ops  # noqa: E402

slim_layers = tf_slim.layers
