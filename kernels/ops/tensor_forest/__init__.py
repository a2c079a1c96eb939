"""Kernels of random forests."""
