"""Tests of tf.function, AutoGraph, and what programs use beside them."""
