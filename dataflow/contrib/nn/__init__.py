"""tf.contrib.nn: dropout for self-normalizing nets, and others of tf.nn's by older names."""

import dataflow.contrib.nn.cross_entropy as _flipped
from dataflow.contrib.nn.alpha_dropout import alpha_dropout as alpha_dropout
from dataflow.contrib.nn.sampled import rank_sampled_softmax_loss as rank_sampled_softmax_loss
from dataflow.contrib.nn.sampled import sampled_sparse_softmax_loss as sampled_sparse_softmax_loss
from dataflow.contrib.nn.scaled_softplus import scaled_softplus as scaled_softplus
from dataflow.ops.nn.convolution_transpose import conv1d_transpose as conv1d_transpose
from dataflow.ops.nn.topk import nth_element as nth_element

deprecated_flipped_sigmoid_cross_entropy_with_logits = (
    _flipped.deprecated_flipped_sigmoid_cross_entropy_with_logits
)
deprecated_flipped_softmax_cross_entropy_with_logits = (
    _flipped.deprecated_flipped_softmax_cross_entropy_with_logits
)
deprecated_flipped_sparse_softmax_cross_entropy_with_logits = (
    _flipped.deprecated_flipped_sparse_softmax_cross_entropy_with_logits
)
