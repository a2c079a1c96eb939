"""Kernels that draw random numbers."""
