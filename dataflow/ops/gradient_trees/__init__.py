"""Ops of tf.contrib.boosted_trees, of which TensorFlow 2 has none: trees on gradients."""
