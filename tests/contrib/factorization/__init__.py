"""Tests of tf.contrib.factorization."""
