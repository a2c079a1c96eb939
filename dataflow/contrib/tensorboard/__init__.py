"""tf.contrib.tensorboard: what tells TensorBoard's plugins what to show."""

from dataflow.contrib.tensorboard import plugins as plugins
