"""tf.contrib.tensorboard.plugins: the projector of embeddings."""

from dataflow.contrib.tensorboard.plugins import projector as projector
