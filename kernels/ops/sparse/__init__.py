"""Kernels of sparse tensors."""
