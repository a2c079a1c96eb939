"""Tests of tf.contrib's distributions and bijectors."""
