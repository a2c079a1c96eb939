"""Kernels of arithmetic, element by element."""
