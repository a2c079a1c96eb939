"""Tests of tf.contrib.timeseries."""
