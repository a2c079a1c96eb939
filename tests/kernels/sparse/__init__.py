"""Tests of kernels/sparse/."""
