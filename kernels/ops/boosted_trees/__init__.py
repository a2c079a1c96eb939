"""Kernels of boosted trees; a handle is the resource itself."""
