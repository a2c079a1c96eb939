"""Kernels of rows of different lengths: row splits and values."""
