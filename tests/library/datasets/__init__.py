"""Tests of tf.data: what pipelines give is what TensorFlow's give."""
