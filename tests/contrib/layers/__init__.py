"""Tests of tf.contrib.layers."""
