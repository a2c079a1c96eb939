"""Kernels of special functions for GPU devices, on cupyx."""
