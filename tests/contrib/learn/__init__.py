"""Tests of tf.contrib.learn."""
