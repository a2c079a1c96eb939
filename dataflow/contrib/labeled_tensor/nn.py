"""tf.contrib.labeled_tensor.nn: activations and losses of labeled tensors."""

import dataflow.contrib.labeled_tensor.tensors as _tensors
import dataflow.contrib.nn as _flipped
import dataflow.ops.nn.activation as _activation
import dataflow.ops.nn.softmax as _softmax
import dataflow.ops.reductions.statistics as _statistics

relu = _tensors.define_unary_op("relu", _activation.relu)
relu6 = _tensors.define_unary_op("relu6", _activation.relu6)
crelu = _tensors.define_unary_op("crelu", _activation.crelu)
elu = _tensors.define_unary_op("elu", _activation.elu)
softplus = _tensors.define_unary_op("softplus", _activation.softplus)
l2_loss = _tensors.define_unary_op("l2_loss", _statistics.l2_loss)
softmax = _tensors.define_unary_op("softmax", _softmax.softmax)
log_softmax = _tensors.define_unary_op("log_softmax", _softmax.log_softmax)
sigmoid_cross_entropy_with_logits = _tensors.define_binary_op(
    "sigmoid_cross_entropy_with_logits",
    _flipped.deprecated_flipped_sigmoid_cross_entropy_with_logits,
)
softmax_cross_entropy_with_logits = _tensors.define_binary_op(
    "softmax_cross_entropy_with_logits",
    _flipped.deprecated_flipped_softmax_cross_entropy_with_logits,
)
sparse_softmax_cross_entropy_with_logits = _tensors.define_binary_op(
    "sparse_softmax_cross_entropy_with_logits",
    _flipped.deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
