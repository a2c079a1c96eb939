"""Tests of the recurrent parts of tf.contrib."""
