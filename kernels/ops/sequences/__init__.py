"""Kernels of labels of sequences."""
