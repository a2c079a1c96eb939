"""Heads of tf.contrib.learn: what makes predictions, losses and metrics of logits."""
