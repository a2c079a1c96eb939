"""Tests of tf.contrib.slim."""
