"""Tests of feature columns, against TensorFlow's `compat.v1.feature_column`."""
