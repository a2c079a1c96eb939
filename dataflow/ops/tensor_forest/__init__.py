"""Ops of tf.contrib.tensor_forest: trees, what their leaves count, and nets made of decisions."""
