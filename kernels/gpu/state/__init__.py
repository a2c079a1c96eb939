"""Kernels of variables for GPU devices."""
