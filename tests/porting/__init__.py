"""Tests of programs that import TensorFlow."""
