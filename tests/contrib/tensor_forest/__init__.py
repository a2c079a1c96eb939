"""Tests of tf.contrib.tensor_forest."""
