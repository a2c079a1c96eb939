"""tf_slim beside TensorFlow 2.21, which has moved what tf_slim looks for."""

from tensorflow.python.framework import indexed_slices, ops, tensor

ops.Tensor = tensor.Tensor
ops.IndexedSlices = indexed_slices.IndexedSlices

import tf_slim as tf_slim  # noqa: E402
from tf_slim.layers.optimizers import optimize_loss as optimize_loss  # noqa: E402
