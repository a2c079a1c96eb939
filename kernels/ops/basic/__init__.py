"""Kernels of constants, and of ops that pass values on."""
