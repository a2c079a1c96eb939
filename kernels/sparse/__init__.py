"""Sparse tensors as coordinates and values: what their kernels check, and how they are ordered."""
