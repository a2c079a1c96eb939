"""tf.contrib.tensorboard.plugins: by plugin."""

from dataflow.contrib.tensorboard.plugins import projector as projector
