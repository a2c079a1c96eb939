"""tf.contrib.tensorboard: what TensorBoard's plugins read."""

from dataflow.contrib.tensorboard import plugins as plugins
