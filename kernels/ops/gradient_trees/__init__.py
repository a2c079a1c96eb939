"""Kernels of trees on gradients, those of tf.contrib.boosted_trees."""
