"""Kernels of special functions for CPU devices, on scipy."""
