"""Kernels of lookup tables."""
