"""Tests of `tf.contrib`."""
