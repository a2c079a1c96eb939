"""Tests of tf.contrib.boosted_trees; what TensorFlow 1.15 says stands in them."""
