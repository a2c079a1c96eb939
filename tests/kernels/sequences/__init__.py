"""Tests of the kernels of sequences."""
