"""Tests of tf.contrib's optimizers, of constraints and of pruning."""
