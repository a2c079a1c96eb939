"""Kernels that print and format tensors."""
