"""Asks the modules that TensorFlow 2 has cut its inner ones into for their names."""

import tensorflow.compat.v1 as tf
from tensorflow.python.checkpoint import checkpoint, checkpoint_management, checkpoint_options
from tensorflow.python.data.experimental.ops import lookup_ops
from tensorflow.python.data.ops import batch_op, from_generator_op, options
from tensorflow.python.feature_column import feature_column_v2_types
from tensorflow.python.framework import constant_tensor_conversion, tensor, tensor_conversion
from tensorflow.python.ops import (
    array_ops_stack,
    bincount_ops,
    cond,
    control_flow_assert,
    control_flow_case,
    control_flow_switch_case,
    lookup_grad,
    ref_variable,
    resource_variables_toggle,
    variable_v1,
    while_loop,
)
from tensorflow.python.saved_model import save_options
from tensorflow.python.summary.writer import writer
from tensorflow.python.trackable import autotrackable, base, resource
from tensorflow.python.training import py_checkpoint_reader

tf.disable_v2_behavior()
print(variable_v1.VariableV1 is tf.Variable, issubclass(ref_variable.RefVariable, tf.Variable))
print(tensor.Tensor is tf.Tensor, tensor.TensorSpec is tf.TensorSpec)
print(checkpoint_management.CheckpointManager is tf.train.CheckpointManager)
print(checkpoint_options.CheckpointOptions is tf.train.CheckpointOptions)
print(checkpoint.CheckpointV1 is tf.train.Checkpoint, save_options.SaveOptions.__name__)
print(lookup_ops.DatasetInitializer is tf.data.experimental.DatasetInitializer)
print(options.ThreadingOptions is tf.data.experimental.ThreadingOptions)
print(callable(py_checkpoint_reader.NewCheckpointReader), lookup_grad.__name__.split(".")[-1])
print(issubclass(autotrackable.AutoTrackable, base.Trackable), resource.TrackableResource.__name__)
print(feature_column_v2_types.FeatureColumn.__name__, batch_op.__name__, from_generator_op.__name__)
print(constant_tensor_conversion.__name__, writer._PLUGINS_DIR)
print(resource_variables_toggle.resource_variables_enabled())

one = tensor_conversion.convert_to_tensor_v2_with_dispatch([1, 2], dtype_hint=tf.int32)
first = tensor_conversion.convert_to_tensor_v1_with_dispatch(one)
print(first is one, tensor_conversion.convert_to_tensor_v2(one) is one)
chosen = cond.cond(one[0] < 2, lambda: one * 3, lambda: one)
chosen = cond.cond_for_tf_v2(one[0] < 2, lambda: chosen, lambda: one)
looped = while_loop.while_loop(lambda i: i < 9, lambda i: i + 4, [0])
cased = control_flow_case.case([(one[0] > 3, lambda: 5)], default=lambda: 6)
switched = control_flow_switch_case.switch_case(one[1] - 1, [lambda: 7, lambda: 8])
with tf.control_dependencies([control_flow_assert.Assert(looped > 3, [looped])]):
    stacked = array_ops_stack.stack(array_ops_stack.unstack(chosen))
counted = bincount_ops.bincount(one, dtype=tf.int32)
with tf.Session() as session:
    for value in session.run([chosen, looped, cased, switched, stacked, counted]):
        print(value.tolist())
