"""Kernels for rows of tensors as sets."""
